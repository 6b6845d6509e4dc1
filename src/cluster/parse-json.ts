import type { z } from "zod";

/** The value of a JSON text; undefined if it is not valid JSON or has another shape. */
export function parseJson<Shape extends z.ZodType>(shape: Shape, text: string): z.infer<Shape> | undefined {
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
