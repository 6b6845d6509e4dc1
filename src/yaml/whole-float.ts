/** A float that is a whole number, such as `1.0`, `-0.0` or `1e21`: a JavaScript number would be taken for an integer. */
export class WholeFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  toJSON(): number {
    return this.value;
  }
}
