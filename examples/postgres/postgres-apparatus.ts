import { createHash, createHmac } from "node:crypto";
import postgres from "postgres";
import { z } from "zod";
import { type Apparatus, type ApparatusOptions, createApparatus, type IntegrationObject } from "#apparatus";

export interface PostgresOptions extends Pick<ApparatusOptions, "verify" | "callers" | "log"> {
  /** `postgres://USER:PASSWORD@HOST:PORT/postgres`; the user needs CREATEDB and CREATEROLE, and need not be a superuser. */
  readonly adminUrl: string;
  /** Passwords are made from this; another one gives everybody another password. */
  readonly passwordKey: string;
  /** Where applications find the server, if not where the apparatus does. */
  readonly host?: string;
}

/** What a plug gets: a database, and a role of the same name that owns it. */
interface Account {
  readonly name: string;
  readonly password: string;
}

/** The apparatus of a PostgreSQL socket: a database and a user for each plug. */
export function postgresApparatus(options: PostgresOptions): Apparatus & AsyncDisposable {
  const { adminUrl, passwordKey, host, ...rest } = options;
  const url = new URL(adminUrl);
  const admin = postgres(adminUrl, { max: 4, idle_timeout: 10, onnotice: () => {} });

  /** Two pods may be at it: while one works on an account, the other waits. */
  async function exclusively(account: string, work: (sql: postgres.ReservedSql) => Promise<void>): Promise<void> {
    const sql = await admin.reserve();
    try {
      await sql`select pg_advisory_lock(hashtext(${account}))`;
      await work(sql);
    } finally {
      await sql`select pg_advisory_unlock_all()`.finally(() => sql.release());
    }
  }

  async function grant({ plug }: { readonly plug: IntegrationObject }): Promise<void> {
    const { name, password } = accountOf(plug, passwordKey);
    await exclusively(name, async (sql) => {
      const roles = await sql`select from pg_roles where rolname = ${name}`;
      if (roles.count === 0) await execute(sql, "create role %I", name);
      await execute(sql, "alter role %I login password %L", name, password);
      // A role that is not a superuser can create databases only for roles that it is a member of.
      await execute(sql, "grant %I to current_user", name);
      const databases = await sql`select from pg_database where datname = ${name}`;
      if (databases.count === 0) await execute(sql, "create database %I owner %I", name, name);
      await execute(sql, "revoke all on database %I from public", name);
    });
  }

  async function revoke(plug: IntegrationObject, retain: boolean): Promise<void> {
    const { name } = accountOf(plug, passwordKey);
    await exclusively(name, async (sql) => {
      const roles = await sql`select from pg_roles where rolname = ${name}`;
      if (roles.count === 0) return;
      if (retain) {
        await execute(sql, "alter role %I nologin", name);
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${name}`;
        return;
      }
      await execute(sql, "drop database if exists %I with (force)", name);
      await execute(sql, "drop owned by %I", name);
      await execute(sql, "drop role %I", name);
    });
  }

  const apparatus = createApparatus({
    ...rest,
    prefix: "/socket",
    plugConfig: z.object({ retain: z.enum(["true", "false"]).default("false") }),
    config({ plug }) {
      const { name, password } = accountOf(plug, passwordKey);
      return { host: host ?? url.hostname, port: url.port || "5432", database: name, username: name, password };
    },
    coupled: grant,
    updated: grant,
    decoupled: ({ plug, plugConfig }) => revoke(plug, plugConfig.retain === "true"),
  });
  return { ...apparatus, [Symbol.asyncDispose]: () => admin.end() };
}

/** Statements about roles and databases take no parameters: the server quotes names (%I) and texts (%L), and gives the statement back. */
async function execute(sql: postgres.Sql, statement: string, ...values: readonly string[]): Promise<void> {
  const rows = await sql<{ quoted: string }[]>`select format(${statement}, variadic ${[...values]}::text[]) as quoted`;
  await sql.unsafe(rows[0]?.quoted ?? "");
}

/**
 * Made from the plug alone, so that nothing has to be kept: the same after a crash, in another pod, for the same call again.
 * The uid makes the name unique, whatever plugs are called; the rest of it is for people.
 */
function accountOf({ metadata: { namespace, name, uid } }: IntegrationObject, passwordKey: string): Account {
  const readable = `${namespace}_${name}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .slice(0, 40);
  const unique = createHash("sha256").update(uid).digest("hex").slice(0, 16);
  return {
    name: `${readable}_${unique}`,
    password: createHmac("sha256", passwordKey).update(uid).digest("base64url"),
  };
}
