import { z } from "zod";

/** The body of a request that declares a build. */
const DeclaredBody = z.strictObject({
  component: z
    .string()
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "expected the name of a Component"),
  image: z.string().min(1).max(1_024),
  commit: z
    .string()
    .regex(/^[\w./-]{1,128}$/, "expected at most 128 letters, digits and _ . / -")
    .exactOptional(),
});

export type ReadBuild =
  | { readonly kind: "build"; readonly build: z.infer<typeof DeclaredBody> }
  | { readonly kind: "refused"; readonly problem: string };

/** What the body of a request says was built. */
export function readBuild(body: Buffer): ReadBuild {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return refuse("expected JSON");
  }
  const read = DeclaredBody.safeParse(value);
  if (read.success) return { kind: "build", build: read.data };
  return refuse(read.error.issues.map(({ path, message }) => [...path, message].join(": ")).join("; "));
}

function refuse(problem: string): ReadBuild {
  return { kind: "refused", problem };
}
