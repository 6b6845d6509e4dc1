import { createLogger, InputError } from "#base";
import { postgresApparatus } from "./postgres-apparatus.ts";

const { ADMIN_URL, PASSWORD_KEY, DATABASE_HOST, CALLERS, PORT = "3000", HOST } = process.env;
if (!ADMIN_URL || !PASSWORD_KEY) throw new InputError("ADMIN_URL and PASSWORD_KEY are not set");

const log = createLogger();
const apparatus = postgresApparatus({
  log,
  adminUrl: ADMIN_URL,
  passwordKey: PASSWORD_KEY,
  ...(DATABASE_HOST ? { host: DATABASE_HOST } : {}),
  // "-" is for a Tenon outside of the cluster, which has no token.
  ...(CALLERS === "-" ? { verify: false } : CALLERS ? { callers: CALLERS.split(",") } : {}),
});
const { port } = await apparatus.listen(Number(PORT), HOST ? { host: HOST } : {});
log.info("answers", { port });
