import { describe, expect, it } from "vitest";
import { CommandFailed, ConflictError, InputError } from "./errors.ts";

describe("InputError", () => {
  it.each([
    { reason: "what alone", details: {}, message: "no such team" },
    { reason: "what and where", details: { where: "app.yml:12" }, message: "app.yml:12: no such team" },
    { reason: "what and next", details: { next: "did you mean xy?" }, message: "no such team; did you mean xy?" },
    {
      reason: "everything",
      details: { where: "app.yml:12", next: "did you mean xy?" },
      message: "app.yml:12: no such team; did you mean xy?",
    },
  ])("says $reason", ({ details, message }) => {
    const error = new InputError("no such team", details);
    expect(error.message).toBe(message);
    expect(error).toMatchObject({ what: "no such team", ...details });
  });

  it("keeps its cause, and has none where none was given", () => {
    const cause = new Error("not found");
    expect(new InputError("no such team", { cause }).cause).toBe(cause);
    expect(Object.hasOwn(new InputError("no such team"), "cause")).toBe(false);
  });

  it("has its name on the first line of the stack", () => {
    expect(new InputError("no such team").stack).toMatch(/^InputError: no such team\n/);
  });
});

describe("ConflictError", () => {
  const error = new ConflictError("Deployment web exists", {
    owner: "argocd",
    where: "cluster a",
    next: "choose a name",
  });

  it("names the owner", () => {
    expect(error.owner).toBe("argocd");
    expect(error.message).toBe("cluster a: Deployment web exists (owned by argocd); choose a name");
    expect(error).toMatchObject({ what: "Deployment web exists", where: "cluster a", next: "choose a name" });
  });

  it("is of another family than InputError", () => {
    expect(error).not.toBeInstanceOf(InputError);
    expect(String(error)).toMatch(/^ConflictError: /);
  });
});

describe("CommandFailed", () => {
  const cause = new Error("exit code 1");
  const error = new CommandFailed("helm failed", { where: "./my-chart", next: "see its output", cause });

  it("says what, where and what to do next, and keeps its cause", () => {
    expect(error.message).toBe("./my-chart: helm failed; see its output");
    expect(error).toMatchObject({ what: "helm failed", where: "./my-chart", next: "see its output", cause });
  });

  it("is not an InputError, so that a controller tries again", () => {
    expect(error).not.toBeInstanceOf(InputError);
  });
});

// A bundler that minifies renames classes; the name must not come from there.
it.each([
  { name: "InputError", error: new (class a extends InputError {})("what") },
  { name: "CommandFailed", error: new (class c extends CommandFailed {})("what") },
  { name: "ConflictError", error: new (class b extends ConflictError {})("what", { owner: "someone" }) },
])("$name keeps its name when its class is renamed", ({ name, error }) => {
  expect(error.name).toBe(name);
});
