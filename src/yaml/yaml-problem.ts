/** Which part of Go's reader would have complained; it decides how Go words the place. */
export type ReadingPhase = "reader" | "scanner" | "parser" | "decoder" | "converter";

/**
 * Why a text is not the YAML that kubectl and Helm read. The message is Go's, word for word, because templates can see it;
 * `line` and `column` are the true ones, counted from 0, where Go's message may be one off.
 */
export class YamlProblem extends Error {
  override readonly name = "YamlProblem";
  readonly problem: string;
  readonly phase: ReadingPhase;
  /** Offset into the text, where known. */
  readonly position: number | undefined;

  constructor(problem: string, phase: ReadingPhase, position?: number, line = 0) {
    super(goMessage(problem, phase, line));
    this.problem = problem;
    this.phase = phase;
    this.position = position;
  }
}

/** goyaml.v2 counts lines from 0, adds one for scanner errors only, and says nothing about line 0. */
function goMessage(problem: string, phase: ReadingPhase, line: number): string {
  if (phase === "converter") return problem;
  if (phase === "scanner" && line > 0) return `yaml: line ${line + 1}: ${problem}`;
  if (phase === "parser" && line > 0) return `yaml: line ${line}: ${problem}`;
  return `yaml: ${problem}`;
}
