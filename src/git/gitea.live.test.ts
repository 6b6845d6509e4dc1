import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Secret } from "#base";
import { useGitea } from "#gitea";
import { commitFiles } from "./commit-files.ts";
import { fetchRef } from "./fetch-ref.ts";
import { pushBranch, readRemoteHead } from "./push-branch.ts";

const { signal } = new AbortController();
const gitea = await useGitea();
const file = "deploy/app.yaml";
const branch = "promotion/main/shop";

test("git fetches from and pushes to a real Gitea with a token and its CA, respects commits of people, and names what is refused", async () => {
  const repository = await gitea.createRepository({ [file]: "image: a\n" });
  const rule = { rule_name: "release/**", enable_push: false };
  await gitea.expect("POST", `${repository.path}/branch_protections`, rule, repository.owner.token);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-gitea-git-"));
  const certificateAuthorityFile = join(directory.path, "ca.crt");
  await writeFile(certificateAuthorityFile, gitea.access.certificateAuthority);
  const credentials = { kind: "token", username: "tenon", token: new Secret(repository.owner.token) } as const;
  const remote = { repository: repository.address, credentials, certificateAuthorityFile };
  await using base = await fetchRef({ ...remote, ref: "main" }, join(directory.path, "cache"), signal);
  const commit = await commitFiles(
    base.directory,
    {
      parent: base.commit.hash,
      files: new Map([[file, Buffer.from("image: b\n")]]),
      message: "Promote shop\n",
      author: { name: "Tenon", email: "tenon@localhost" },
      timestamp: 1_800_000_000,
    },
    signal,
  );
  const ours = { ...remote, branch };
  expect(await pushBranch(base.directory, ours, commit, undefined, signal)).toBe("pushed");
  expect(await readRemoteHead(base.directory, ours, signal)).toBe(commit);
  const person = await gitea.commit(repository, { [file]: "image: of a person\n" }, branch);
  expect(await pushBranch(base.directory, ours, commit, commit, signal)).toBe("moved");
  expect(await readRemoteHead(base.directory, ours, signal)).toBe(person);

  const guarded = pushBranch(base.directory, { ...remote, branch: "release/1" }, commit, undefined, signal);
  await expect(guarded).rejects.toThrow("the server does not allow Tenon to push to branch release/1");
  const reading = await gitea.createToken(repository.owner.name, ["read:repository"]);
  const weak = { ...ours, credentials: { ...credentials, token: new Secret(reading) } };
  const denied = pushBranch(base.directory, weak, commit, person, signal);
  await expect(denied).rejects.toThrow("the credentials do not allow a push");
  const unknown = {
    ...ours,
    credentials: { ...credentials, token: new Secret("0123456789abcdef0123456789abcdef01234567") },
  };
  await expect(readRemoteHead(base.directory, unknown, signal)).rejects.toThrow("the token is not valid any more");
  const { certificateAuthorityFile: _, ...untrusting } = ours;
  await expect(readRemoteHead(base.directory, untrusting, signal)).rejects.toThrow(
    "the server's certificate is signed by an unknown authority",
  );
});
