import { isBlank, isBreak, isBreakOrEnd } from "./characters.ts";
import type { YamlLibrary } from "./node-builder.ts";
import { YamlProblem } from "./yaml-problem.ts";

export const byteOrderMark = 0xfeff;

/** A position in a text. A zero stands after the last character, so that no scan needs to look at the length. */
export class Cursor {
  readonly text: string;
  /** Whether to read as libyaml 0.2.5, which PyYAML uses; goyaml.v2 is a copy of an older one. */
  readonly isLibyaml: boolean;
  position = 0;
  /** Counted from 0. */
  line = 0;
  lineStart = 0;
  /** Whether the plain scalar read last was followed by a line break. */
  hasBrokenLine = false;

  constructor(text: string, library: YamlLibrary = "goyaml") {
    this.isLibyaml = library === "pyyaml";
    this.text = `${text}\0`;
    if (this.code() === byteOrderMark) this.position = this.lineStart = 1;
  }

  get column(): number {
    return this.position - this.lineStart;
  }

  code(ahead = 0): number {
    return this.text.charCodeAt(this.position + ahead);
  }

  /** Consumes a line break. Returns what it counts as: a line feed, but the two separators of Unicode stay what they are. */
  takeBreak(): string {
    const code = this.code();
    if (!isBreak(code)) return "";
    this.position += code === 0x0d && this.code(1) === 0x0a ? 2 : 1;
    this.line += 1;
    this.lineStart = this.position;
    return code < 0x2028 ? "\n" : String.fromCharCode(code);
  }

  skipBlanks(): void {
    while (isBlank(this.code())) this.position += 1;
  }

  skipComment(): void {
    if (this.code() !== 0x23) return;
    while (!isBreakOrEnd(this.code())) this.position += 1;
  }

  /** Is this `---` or `...` at the beginning of a line? */
  atDocumentMarker(): boolean {
    if (this.position !== this.lineStart) return false;
    const code = this.code();
    if ((code !== 0x2d && code !== 0x2e) || this.code(1) !== code || this.code(2) !== code) return false;
    const after = this.code(3);
    return isBlank(after) || isBreakOrEnd(after);
  }

  /** What the scanner cannot read, here. */
  failure(problem: string): YamlProblem {
    return new YamlProblem(problem, "scanner", this.position, this.line);
  }
}
