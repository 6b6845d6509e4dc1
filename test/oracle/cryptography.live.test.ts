import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Oracle, startOracle } from "./oracle.ts";
import { answerOurs } from "./ours.ts";
import type { TemplateRequest, VerifyRequest } from "./requests.ts";

let oracle: Oracle;
beforeAll(async () => {
  oracle = await startOracle();
}, 1_200_000);
afterAll(() => oracle[Symbol.asyncDispose]());

function request(template: string, data?: unknown): TemplateRequest {
  return { op: "template", functions: "sprig", templates: { t: template }, entry: "t", data };
}

function ours(template: string, data?: unknown): string {
  const { output, error } = answerOurs(request(template, data));
  if (output === undefined) throw new Error(error);
  return output;
}

async function theirs(template: string, data?: unknown): Promise<string> {
  const { output, error } = await oracle.ask(request(template, data));
  if (output === undefined) throw new Error(error);
  return output;
}

type VerifyDetails = VerifyRequest extends infer Request
  ? Request extends unknown
    ? Omit<Request, "op">
    : never
  : never;

/** What Go sees in it. */
async function seen(details: VerifyDetails): Promise<Record<string, unknown>> {
  const { output, error } = await oracle.ask({ op: "verify", ...details });
  if (output === undefined) throw new Error(error);
  return z.record(z.string(), z.unknown()).parse(JSON.parse(output));
}

const Made = z.object({ certificate: z.string(), key: z.string(), ca: z.string().optional() });

/** What Go sees in a certificate, but for what is another in each. */
async function seenCertificate(json: string, names: readonly string[]): Promise<Record<string, unknown>> {
  const { certificate, key, ca = certificate } = Made.parse(JSON.parse(json));
  const { serialBits, seconds, ...fields } = await seen({ kind: "certificate", certificate, key, ca, names });
  // A serial of 128 random bits; Go looks at the clock twice, for either end.
  return { ...fields, hasLongSerial: Number(serialBits) > 96, days: Math.round(Number(seconds) / 8_640) / 10 };
}

const certificates: readonly {
  readonly reason: string;
  readonly template: string;
  readonly names?: readonly string[];
}[] = [
  {
    reason: "an authority may sign certificates",
    template: '{{ $c := genCA "Some & Authority" 365 }}{{ dict "certificate" $c.Cert "key" $c.Key | toJson }}',
  },
  {
    reason: "names and addresses of both kinds",
    template:
      '{{ $c := genSelfSignedCert "foo" (list "10.0.0.1" "2001:db8::1" "::ffff:10.0.0.2") (list "foo.com" "*.foo.com") 7 }}' +
      '{{ dict "certificate" $c.Cert "key" $c.Key | toJson }}',
    names: ["foo.com", "www.foo.com", "10.0.0.1", "2001:db8::1", "10.0.0.2"],
  },
  {
    reason: "another one signs it, and says by which key",
    template:
      '{{ $ca := genCA "ca" 365 }}{{ $c := genSignedCert "foo" nil (list "foo.com") 30 $ca }}' +
      '{{ dict "certificate" $c.Cert "key" $c.Key "ca" $ca.Cert | toJson }}',
    names: ["foo.com"],
  },
  {
    reason: "letters that need UTF-8",
    template: '{{ $c := genCA "Zürich *" 365 }}{{ dict "certificate" $c.Cert "key" $c.Key | toJson }}',
  },
  {
    reason: "without a subject the names are critical",
    template:
      '{{ $c := genSelfSignedCert "" nil (list "foo.com") 365 }}{{ dict "certificate" $c.Cert "key" $c.Key | toJson }}',
    names: ["foo.com"],
  },
  {
    reason: "a year that needs four digits",
    template: '{{ $c := genCA "foo" 36500 }}{{ dict "certificate" $c.Cert "key" $c.Key | toJson }}',
  },
  ...["ecdsa", "ed25519"].map((kind) => ({
    reason: `${kind} keys everywhere`,
    template:
      `{{ $ca := genCAWithKey "ca" 365 (genPrivateKey "${kind}") }}` +
      `{{ $c := genSignedCertWithKey "foo" nil (list "foo.com") 30 $ca (genPrivateKey "${kind}") }}` +
      '{{ dict "certificate" $c.Cert "key" $c.Key "ca" $ca.Cert | toJson }}',
    names: ["foo.com"],
  })),
];

test.each(certificates)(
  "Go sees the same in our certificate as in its own: $reason",
  async ({ template, names = [] }) => {
    expect(await seenCertificate(ours(template), names)).toEqual(await seenCertificate(await theirs(template), names));
  },
);

const givenKeys: readonly { readonly reason: string; readonly pem: () => string }[] = [
  ...["secp224r1", "prime256v1", "secp384r1", "secp521r1"].flatMap((namedCurve) =>
    (["sec1", "pkcs8"] as const).map((type) => ({
      reason: `${namedCurve} in ${type}`,
      pem: () => generateKeyPairSync("ec", { namedCurve }).privateKey.export({ type, format: "pem" }).toString(),
    })),
  ),
  ...(["pkcs1", "pkcs8"] as const).map((type) => ({
    reason: `RSA in ${type}`,
    pem: () =>
      generateKeyPairSync("rsa", { modulusLength: 1_024 }).privateKey.export({ type, format: "pem" }).toString(),
  })),
];

test.each(givenKeys)("a key that was given gives the same certificate and key: $reason", async ({ pem }) => {
  const template = '{{ $c := genCAWithKey "ca" 365 .key }}{{ dict "certificate" $c.Cert "key" $c.Key | toJson }}';
  const data = { key: pem() };
  const [our, their] = [ours(template, data), await theirs(template, data)];
  expect(await seenCertificate(our, [])).toEqual(await seenCertificate(their, []));
  expect(Made.parse(JSON.parse(our)).key).toBe(Made.parse(JSON.parse(their)).key);
});

const refusedKeys: readonly { readonly reason: string; readonly pem: () => string }[] = [
  {
    reason: "a curve that Go does not know",
    pem: () =>
      generateKeyPairSync("ec", { namedCurve: "secp256k1" })
        .privateKey.export({ type: "sec1", format: "pem" })
        .toString(),
  },
  {
    reason: "too few bits",
    pem: () =>
      generateKeyPairSync("rsa", { modulusLength: 512 }).privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
  },
  {
    reason: "an algorithm that Go does not know",
    pem: () => generateKeyPairSync("ed448").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  },
  {
    reason: "an EC key that says it is RSA",
    pem: () =>
      generateKeyPairSync("ec", { namedCurve: "prime256v1" })
        .privateKey.export({ type: "sec1", format: "pem" })
        .toString()
        .replaceAll("EC PRIVATE", "RSA PRIVATE"),
  },
  {
    reason: "encrypted",
    pem: () =>
      generateKeyPairSync("ed25519")
        .privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
        .toString(),
  },
];

test.each(refusedKeys)("both refuse a key: $reason", async ({ pem }) => {
  const template = '{{ (genCAWithKey "ca" 365 .key).Cert }}';
  const data = { key: pem() };
  expect(() => ours(template, data)).toThrow("error calling genCAWithKey");
  await expect(theirs(template, data)).rejects.toThrow("error calling genCAWithKey");
});

describe("keys of the other side", () => {
  const signing =
    '{{ $ca := buildCustomCert (b64enc .cert) (b64enc .key) }}{{ $c := genSignedCert "foo" nil (list "foo.com") 30 $ca }}' +
    '{{ dict "certificate" $c.Cert "key" $c.Key "ca" .cert | toJson }}';
  const authority = '{{ $ca := genCA "ca" 365 }}{{ dict "cert" $ca.Cert "key" $ca.Key | toJson }}';

  test("our authority signs in Go", async () => {
    const data: unknown = JSON.parse(ours(authority));
    expect(await seenCertificate(await theirs(signing, data), ["foo.com"])).toMatchObject({ issuer: "CN=ca" });
  });

  test("Go's authority signs here", async () => {
    const data: unknown = JSON.parse(await theirs(authority));
    expect(await seenCertificate(ours(signing, data), ["foo.com"])).toMatchObject({ issuer: "CN=ca" });
  });
});

test.each(["rsa", "dsa", "ecdsa", "ed25519"])("Go reads our %s key as its own", async (kind) => {
  const template = `{{ genPrivateKey "${kind}" }}`;
  const [our, their] = [ours(template), await theirs(template)];
  expect(await seen({ kind: "privateKey", key: our })).toEqual(await seen({ kind: "privateKey", key: their }));
});

test.each(["password", "", "pässwörd 日", "a\0b", "x".repeat(72)])(
  "Go accepts our bcrypt hash of %j",
  async (password) => {
    const hash = ours("{{ bcrypt .password }}", { password });
    expect(await seen({ kind: "bcrypt", hash, password })).toEqual({ cost: 10 });
    await expect(seen({ kind: "bcrypt", hash, password: "another" })).rejects.toThrow("hashedPassword");
  },
);

test("what one side encrypts, the other decrypts", async () => {
  const data = { key: "kéy", text: "some text that fills more than a block" };
  const encrypt = "{{ encryptAES .key .text }}";
  const decrypt = "{{ decryptAES .key .encrypted }}";
  expect(await theirs(decrypt, { ...data, encrypted: ours(encrypt, data) })).toBe(data.text);
  expect(ours(decrypt, { ...data, encrypted: await theirs(encrypt, data) })).toBe(data.text);
});
