import { constants, createPublicKey, type JsonWebKey, type KeyObject, verify } from "node:crypto";
import { z } from "zod";

/** Why a login, or its renewal, does not count. The reason is for the log: it never has a token in it. */
export class LoginRefused extends Error {}

export const ProviderKeys = z.object({
  keys: z.array(z.looseObject({ kty: z.string(), kid: z.string().optional(), use: z.string().optional() })),
});
export type ProviderKeys = z.infer<typeof ProviderKeys>;

const Header = z.object({ alg: z.string(), kid: z.string().optional() });
const Claims = z.looseObject({
  iss: z.string(),
  sub: z.string().min(1),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
  exp: z.number(),
  iat: z.number(),
  nonce: z.string().optional(),
});
export type IdClaims = z.infer<typeof Claims>;

export interface ExpectedToken {
  readonly issuer: string;
  readonly clientId: string;
  /** Of the login that asked for the token; a renewed token need not have one. */
  readonly nonce?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Public keys alone: no algorithm here takes a shared secret, and none takes no key. */
const algorithms: Readonly<
  Record<
    string,
    { readonly type: string; readonly digest: string | null; readonly padding?: number; readonly curve?: string }
  >
> = {
  RS256: { type: "rsa", digest: "sha256", padding: constants.RSA_PKCS1_PADDING },
  RS384: { type: "rsa", digest: "sha384", padding: constants.RSA_PKCS1_PADDING },
  RS512: { type: "rsa", digest: "sha512", padding: constants.RSA_PKCS1_PADDING },
  PS256: { type: "rsa", digest: "sha256", padding: constants.RSA_PKCS1_PSS_PADDING },
  PS384: { type: "rsa", digest: "sha384", padding: constants.RSA_PKCS1_PSS_PADDING },
  PS512: { type: "rsa", digest: "sha512", padding: constants.RSA_PKCS1_PSS_PADDING },
  ES256: { type: "ec", digest: "sha256", curve: "prime256v1" },
  ES384: { type: "ec", digest: "sha384", curve: "secp384r1" },
  ES512: { type: "ec", digest: "sha512", curve: "secp521r1" },
  EdDSA: { type: "ed25519", digest: null },
};

const largestToken = 16_384;
const shortestRsa = 2_048;
/** By how much the provider's clock may be ahead of ours. */
const skewMs = 60_000;

/** The key id that a token names, to know whether its key has to be fetched. */
export function keyIdOf(token: string): string | undefined {
  return readPart(token.split(".")[0] ?? "", Header).kid;
}

/** The claims of a token, after all that OpenID Connect Core 3.1.3.7 asks to check. */
export function verifyIdToken(token: string, keys: ProviderKeys, expected: ExpectedToken): IdClaims {
  const parts = token.split(".");
  const [head = "", body = "", signature = ""] = parts;
  if (parts.length !== 3 || token.length > largestToken) throw new LoginRefused("the id token is not a signed JWT");
  const { alg, kid } = readPart(head, Header);
  const algorithm = Object.hasOwn(algorithms, alg) ? algorithms[alg] : undefined;
  if (!algorithm) throw new LoginRefused(`the id token is signed by ${JSON.stringify(alg)}, which is not accepted`);
  const candidates = keys.keys
    .filter((key) => (key.use === undefined || key.use === "sig") && (kid === undefined || key.kid === kid))
    .map(readKey)
    .filter((key) => key !== undefined);
  const { type, digest, padding, curve } = algorithm;
  const isSigned = candidates.some((key) => {
    const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
    if (key.asymmetricKeyType !== type || (curve !== undefined && namedCurve !== curve)) return false;
    if (type === "rsa" && modulusLength < shortestRsa) return false;
    const how = { key, ...(padding === undefined ? {} : { padding }), dsaEncoding: "ieee-p1363" as const };
    return verify(digest, Buffer.from(`${head}.${body}`), how, Buffer.from(signature, "base64url"));
  });
  if (!isSigned) throw new LoginRefused("the id token is not signed by a key of the issuer");
  const claims = readPart(body, Claims);
  const audiences = typeof claims.aud === "string" ? [claims.aud] : claims.aud;
  if (claims.iss !== expected.issuer) throw new LoginRefused("the id token is of another issuer");
  if (!audiences.includes(expected.clientId)) throw new LoginRefused("the id token is for another client");
  if ((audiences.length > 1 || claims.azp !== undefined) && claims.azp !== expected.clientId) {
    throw new LoginRefused("the id token was issued to another client");
  }
  if (claims.exp * 1_000 <= expected.now) throw new LoginRefused("the id token has expired");
  if (claims.iat * 1_000 > expected.now + skewMs) throw new LoginRefused("the id token is of the future");
  if (expected.nonce !== undefined && claims.nonce !== expected.nonce) {
    throw new LoginRefused("the id token is of another login");
  }
  return claims;
}

function readPart<Schema extends z.ZodType>(part: string, schema: Schema): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(Buffer.from(part, "base64url").toString()));
  } catch {
    // Without its text, which may be secret.
    throw new LoginRefused("the id token cannot be read");
  }
}

function readKey(key: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key, format: "jwk" });
  } catch {
    // Of a kind that this Node does not know; another one may be the right one.
    return undefined;
  }
}
