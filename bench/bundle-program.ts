import { execFileSync } from "node:child_process";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "..");

/** A program in few files, as it is published. It finds its packages where `directory` has them. */
export function bundleProgram(entry: string, directory: string): string {
  const name = basename(entry, ".ts");
  const output = join(directory, "src", name, "bundle");
  const rolldown = join(root, "node_modules", ".bin", "rolldown");
  const flags = ["--platform", "node", "--format", "esm", "-d", output, "--logLevel", "silent"];
  execFileSync(rolldown, [entry, ...flags], { cwd: root, stdio: "ignore" });
  return join(output, `${name}.js`);
}
