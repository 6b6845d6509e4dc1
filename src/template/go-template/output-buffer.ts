/** Pieces are joined at this number, because each takes more memory than its text. */
const piecesKept = 4_096;

/** Text that is written piece by piece. */
export class OutputBuffer {
  readonly #whole: string[] = [];
  #pieces: string[] = [];

  write(text: string): void {
    this.#pieces.push(text);
    if (this.#pieces.length < piecesKept) return;
    this.#whole.push(this.#pieces.join(""));
    this.#pieces = [];
  }

  get text(): string {
    return this.#whole.join("") + this.#pieces.join("");
  }
}
