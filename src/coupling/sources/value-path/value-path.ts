/** A step from a value to one inside of it. */
export type Step =
  /** A field of an object; where the value is a list and the key a number, an item. */
  | { readonly kind: "key"; readonly key: string }
  /** `#` at the end: how many items a list has. */
  | { readonly kind: "count" }
  /** `#` before more steps: what they find in each item. */
  | { readonly kind: "each"; readonly steps: ValuePath }
  /** `#(name==web)`: the first item of which this is so. */
  | { readonly kind: "first"; readonly where: ValuePath; readonly equals: string };

export type ValuePath = readonly Step[];
