import * as fc from "fast-check";

/** The same random inputs in every run of the tests, new ones in every soak; TENON_SEED repeats those of a failure. */
export const seed = Number(process.env["TENON_SEED"] ?? (process.env["TENON_SOAK"] ? Date.now() % 2 ** 31 : 4_711));

fc.configureGlobal({ seed });

export { fc };
