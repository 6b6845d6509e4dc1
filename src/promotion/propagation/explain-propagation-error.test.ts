import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { ForgeError } from "#forge";
import { RegistryError } from "#oci";
import type { PropagationStage } from "../kinds/propagation.ts";
import { askedWaitMs, explainSourceError, explainStageError } from "./explain-propagation-error.ts";

const stage: PropagationStage = {
  name: "stage",
  repository: "https://gitea.example/acme/gitops.git",
  branch: "main",
  forge: { kind: "gitea", credentials: "gitea-token" },
};
const at = stage.repository;

describe("explainStageError names the field of the Propagation", () => {
  test.each([
    {
      reason: "git tells no more of a token",
      what: "authentication failed",
      next: "give Tenon a new one",
      message: `spec.stages[stage].forge.credentials: ${at}: authentication failed; give Tenon a new one; it is in Secret gitea-token`,
    },
    {
      reason: "the forge says that it was revoked",
      what: "cannot find the pull request: the forge answers 401 user does not exist",
      next: "give Tenon a new one",
      message: `spec.stages[stage].forge.credentials: ${at}: cannot find the pull request: the forge answers 401 user does not exist; give Tenon a new one; it is in Secret gitea-token`,
    },
    {
      reason: "the base is gone",
      what: "branch, tag or commit main not found",
      next: "the repository has trunk",
      message: `spec.stages[stage].branch: ${at}: branch, tag or commit main not found; the repository has trunk`,
    },
    {
      reason: "our branch is protected",
      what: "the server does not allow Tenon to push to branch promotion/main/shop/stage",
      next: "choose another branch prefix",
      message: `spec.stages[stage].branchPrefix: ${at}: the server does not allow Tenon to push to branch promotion/main/shop/stage; choose another branch prefix`,
    },
    {
      reason: "anything else is about the stage",
      what: "the repository is archived",
      next: "name another",
      message: `spec.stages[stage]: ${at}: the repository is archived; name another`,
    },
  ])("because $reason", ({ what, next, message }) => {
    expect(String(explainStageError(new InputError(what, { where: at, next }), stage))).toBe(`InputError: ${message}`);
  });

  test("and advises otherwise where commits go to the base itself", () => {
    const plain: PropagationStage = { ...stage, forge: { kind: "plain", commitToBase: true } };
    const error = new InputError("the server does not allow Tenon to push to branch main", { where: at, next: "x" });
    expect(String(explainStageError(error, plain))).toContain(
      `spec.stages[stage].branch: ${at}: the server does not allow Tenon to push to branch main; allow the account`,
    );
  });

  test("and leaves failures that pass by themselves, and those with a field, as they are", () => {
    const busy = new ForgeError("busy");
    const named = new InputError("no such Secret", { where: "spec.identity.signingKey" });
    expect([explainStageError(busy, stage), explainStageError(named, stage)]).toEqual([busy, named]);
  });
});

test("explainSourceError names the image, or the credentials where access is denied", () => {
  const where = "quay.io/acme/web:released";
  const denied = new InputError("the registry denies access (403)", { where, next: "give the right" });
  expect(String(explainSourceError(denied, 1))).toContain(
    "spec.source.credentials: quay.io/acme/web:released: the registry denies access (403); give the right",
  );
  expect(String(explainSourceError(new InputError("not valid", { where }), 1))).toContain("spec.source.images[1]: ");
});

test("askedWaitMs is what a registry or a forge asks for, but at most an hour", () => {
  expect(askedWaitMs(new ForgeError("busy", { retryAfterMs: 7_000 }))).toBe(7_000);
  expect(askedWaitMs(new RegistryError("busy", { retryAfterMs: 86_400_000 }))).toBe(3_600_000);
  expect(askedWaitMs(new RegistryError("broken"))).toBeUndefined();
});
