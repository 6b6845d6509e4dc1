/** Where code that was compiled is kept for the next run, and under which name: different commands run different functions. */
export interface CodeCache {
  readonly folder: string;
  readonly command: string;
}

/**
 * Runs a file of the program, and what it requires, with code that an earlier run has compiled. Node's own compile cache keeps
 * what is compiled when a file is loaded; most functions are compiled when they are first called, in each process again. Here
 * they are kept at the end of the first run, with all that ran in it.
 *
 * Node's modules come from `getBuiltinModule`: an import of one loads everything that it re-exports, 10 ms for those of a rendering.
 */
export function runProgram(main: string, cache: CodeCache | undefined): void {
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const path = process.getBuiltinModule("node:path");
  const { constants, Script } = process.getBuiltinModule("node:vm");
  const folder = path.dirname(main);
  const modules = new Map<string, { exports: unknown }>();
  const compiled: Compiled[] = [];

  function load(file: string): unknown {
    const known = modules.get(file);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(file, module);
    const kept = cache && path.join(cache.folder, `${path.basename(file)}.${cache.command}`);
    const cachedData = kept && readKept(kept);
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, "utf8")}\n})`,
      {
        filename: file,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
        ...(cachedData && { cachedData }),
      },
    );
    if (kept && (!cachedData || script.cachedDataRejected))
      compiled.push({ kept, code: () => script.createCachedData() });
    script.runInThisContext()(module.exports, requireFrom, module, file, folder);
    return module.exports;
  }

  function requireFrom(name: string): unknown {
    if (name.startsWith("./")) return load(path.join(folder, name));
    return loadedLate.has(name.replace("node:", "")) ? whenUsed(name) : process.getBuiltinModule(name);
  }

  if (cache) process.once("exit", () => keepAll(cache.folder, compiled));
  load(main);
}

/** Modules of Node that take two to five milliseconds to load, and that most commands import and few use. */
const loadedLate = new Set(["child_process", "crypto", "net", "stream/consumers", "v8", "zlib"]);

/** A module that is loaded when something of it is read. It is found on the prototype, because importing copies what an object has itself. */
function whenUsed(name: string): unknown {
  const get = (_: object, key: string | symbol): unknown => Reflect.get(process.getBuiltinModule(name) ?? {}, key);
  return Object.create(new Proxy({}, { get }));
}

interface Compiled {
  readonly kept: string;
  readonly code: () => Buffer;
}

/** Twice the same, or it is damaged: V8 trusts what it is given, and Node's modules that make a checksum take 3 to 6 ms to load. */
function readKept(file: string): Buffer | undefined {
  try {
    const content = process.getBuiltinModule("node:fs").readFileSync(file);
    const code = content.subarray(0, content.length / 2);
    return code.equals(content.subarray(code.length)) ? code : undefined;
  } catch {
    return undefined;
  }
}

function keepAll(folder: string, compiled: readonly Compiled[]): void {
  const { mkdirSync, renameSync, writeFileSync } = process.getBuiltinModule("node:fs");
  try {
    if (compiled.length > 0) mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const { kept, code } of compiled) {
      const content = code();
      // Complete or not at all, because several commands may end at once.
      const draft = `${kept}.${process.pid}`;
      writeFileSync(draft, Buffer.concat([content, content]), { mode: 0o600 });
      renameSync(draft, kept);
    }
  } catch {
    // Read-only, or full: the next run compiles again.
  }
}
