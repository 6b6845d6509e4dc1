import { once } from "node:events";
import { createApparatus } from "./create-apparatus.ts";

/** A program for tests: prints its port and each call, and finishes `coupled` when it reads a line. */
const apparatus = createApparatus({
  prefix: "/socket",
  verify: false,
  async coupled() {
    process.stdout.write("called\n");
    await once(process.stdin, "data");
  },
});
const { port } = await apparatus.listen(0, { host: "127.0.0.1" });
process.stdout.write(`${port}\n`);
