import type { ShellOutput } from "../shell.ts";

/** Keeps what is written until it is released, and passes everything on from then on. */
export interface HeldOutput extends ShellOutput {
  release(): void;
}

/** For what runs beside something else that prints. */
export function holdOutput(output: ShellOutput): HeldOutput {
  let kept: string | undefined = "";
  return {
    get isTTY() {
      return output.isTTY === true;
    },
    get columns() {
      return output.columns ?? 0;
    },
    write(text) {
      if (kept === undefined) output.write(text);
      else kept += text;
    },
    release() {
      const text = kept ?? "";
      kept = undefined;
      if (text !== "") output.write(text);
    },
  };
}
