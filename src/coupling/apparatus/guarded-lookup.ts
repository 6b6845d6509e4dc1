import { lookup as systemLookup, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { checkAddress } from "./egress.ts";

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export const resolveBySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true, verbatim: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });

/**
 * For sockets: a name is resolved once, all that it stands for is checked, and what was checked is what is dialled. A name that
 * changes its mind in between, as in DNS rebinding, has no say.
 */
export function guardedLookup(apiServer: () => Promise<readonly string[]>, resolve: Resolve): LookupFunction {
  async function find(host: string, family: unknown): Promise<LookupAddress[]> {
    const [found, refused] = await Promise.all([resolve(host), apiServer()]);
    for (const { address } of found) checkAddress(address, refused, host);
    const fitting = found.filter((each) => !family || family === each.family || family === `IPv${each.family}`);
    if (fitting.length === 0) throw Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" });
    return fitting;
  }
  const answer = callbackify(find);
  return (host, { all, family }, done) => {
    answer(host, family, (error, found) => {
      if (error) done(error, "");
      else if (all) done(null, found);
      else done(null, found[0]?.address ?? "", found[0]?.family);
    });
  };
}
