import { type Command, Option } from "commander";
import type { LazyCommand } from "../lazy-command.ts";
import { CompletedOption, examples, namesOption, outputOption, repeated } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { CheckImageChoice } from "./check-image.ts";
import type { CopyChoice } from "./copy-images.ts";
import type { InspectChoice } from "./print-image.ts";
import type { RetagChoice } from "./retag-image.ts";

/** `tenon image` */
export function imageCommand(command: LazyCommand, shell: Shell): void {
  command.description(
    "Move tags, copy images with their signatures, and show what a registry has. Images stay as they are, byte for byte, so that digests and signatures stay valid.",
  );
  examples(command, [
    ["tenon image inspect quay.io/acme/web:1.0", "digest, platforms and signatures"],
    ["tenon image retag quay.io/acme/web:build-7 released", "let another tag lead to the same image"],
    ["tenon image copy quay.io/acme/web:1.0 registry.example.com/web:1.0", "to another registry, signatures included"],
    ["tenon image verify quay.io/acme/web:1.0 --key cosign.pub", "is it signed with this key?"],
  ]);
  declareRetag(command.command("retag"), shell);
  declareCopy(command.command("copy"), shell);
  declareInspect(command.command("inspect"), shell);
  declareVerify(command.command("verify"), shell);
}

function declareRetag(command: LazyCommand, shell: Shell): void {
  outputOption(guardOptions(registryOptions(command)))
    .description(
      "Let tags of a repository lead to an image of it. Nothing is pulled or built; a tag that is right already is not written again. Exits with 1 when a tag could not be moved.",
    )
    .argument("<image>", "the image, by tag or digest, such as quay.io/acme/web@sha256:...")
    .argument("<tag...>", "tags of the same repository")
    .option("--dry-run", "only show the old and the new digest of each tag", false)
    .action(async (image: string, tags: string[], choice: RetagChoice) =>
      (await import("./retag-image.ts")).retagImage(image, tags, choice, shell),
    );
  examples(command, [
    ["tenon image retag quay.io/acme/web:build-7 released --dry-run", "show what would change"],
    ["tenon image retag quay.io/acme/web:build-7 released released-7", "two tags at once"],
    ["tenon image retag quay.io/acme/web:build-7 released-7 --keep-existing", "never move a tag that exists"],
  ]);
}

function declareCopy(command: LazyCommand, shell: Shell): void {
  outputOption(guardOptions(registryOptions(command)))
    .description(
      "Copy an image with all its platforms, and the signatures, attestations and SBOMs of each, to another repository or registry. The tag is written last. Exits with 1 when the image could not be copied.",
    )
    .argument("<image>", "the image, by tag or digest")
    .argument("<target>", "repository and tag to copy to; without a tag, the image is copied by its digest alone")
    .option("--no-companions", "leave signatures, attestations and SBOMs behind")
    .option(
      "--recheck",
      "compare each signature, attestation and SBOM, even if the target has the image already",
      false,
    )
    .option("--dry-run", "only show the digests and what would be copied", false)
    .action(async (image: string, target: string, choice: CopyChoice) =>
      (await import("./copy-images.ts")).copyImages(image, target, choice, shell),
    );
  examples(command, [
    ["tenon image copy quay.io/acme/built:7 quay.io/acme/web:7 --dry-run", "show what would be copied"],
    ["tenon image copy quay.io/acme/web@sha256:... registry.example.com/web:7", "a digest, to another registry"],
    ["tenon image copy localhost:5000/web:7 reg.local/web:7 --plain-http reg.local", "to a registry without TLS"],
  ]);
}

function declareInspect(command: LazyCommand, shell: Shell): void {
  outputOption(registryOptions(command))
    .description("Show an image: its digest, platforms and sizes, labels, and what is attached to it.")
    .argument("<image>", "the image, by tag or digest")
    .action(async (image: string, choice: InspectChoice) =>
      (await import("./print-image.ts")).printImage(image, choice, shell),
    );
  examples(command, [
    ["tenon image inspect quay.io/acme/web:1.0", "as a table"],
    ["tenon image inspect quay.io/acme/web:1.0 -o json", "with labels, for programs"],
  ]);
}

/** Not from `#oci`, which would be loaded for each help page; its type is checked where it is used. */
const requiredParts = ["signature", "provenance"];

function declareVerify(command: LazyCommand, shell: Shell): void {
  outputOption(registryOptions(command))
    .description(
      "Check the signatures of an image with public keys: those that cosign or Tekton Chains attached to its digest. No transparency log is asked, and no certificate is trusted. Exits with 1 when something is missing.",
    )
    .argument("<image>", "the image, by tag or digest")
    .addOption(
      repeated(
        new CompletedOption(
          "--key <file>",
          "public key in PEM: ECDSA on P-256, RSA or Ed25519; repeatable, each is trusted",
          "files",
        ),
      ),
    )
    .addOption(
      namesOption(
        "--require <parts>",
        "what must be there and be signed with a key, separated by commas: signature, provenance",
        requiredParts,
      ).default(["signature"], "signature"),
    )
    .addOption(repeated(new Option("--builder <id>", "builder that a provenance may name; repeatable; default: any")))
    .action(async (image: string, choice: CheckImageChoice) =>
      (await import("./check-image.ts")).checkImage(image, choice, shell),
    );
  examples(command, [
    ["tenon image verify quay.io/acme/web:1.0 --key cosign.pub", "signed with this key?"],
    ["tenon image verify quay.io/acme/web:1.0 --key cosign.pub --require signature,provenance", "and its provenance?"],
  ]);
}

/** Adds the options that say how registries are reached. */
export function registryOptions<Target extends Command>(command: Target): Target {
  return command
    .addOption(
      new CompletedOption(
        "--registry-config <file>",
        "file with credentials, as `docker login` writes it (default: $REGISTRY_AUTH_FILE, else those of docker and podman)",
        "files",
      ),
    )
    .addOption(
      repeated(new Option("--plain-http <host>", "HOST or HOST:PORT of a registry without TLS, besides this machine")),
    )
    .addOption(new CompletedOption("--ca-file <file>", "CA certificates to trust as well, in PEM", "files"));
}

/** Adds the options that keep a tag from being moved by mistake. */
function guardOptions<Target extends Command>(command: Target): Target {
  return command
    .option("--expect <digest>", "move a tag only if it has this digest now; `absent`: only if it does not exist")
    .option("--keep-existing", "never move a tag that exists with another digest", false);
}
