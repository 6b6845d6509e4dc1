import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { type Clock, InputError, Secret } from "#base";
import type { ClientCertificate } from "./cluster-access.ts";

/** Checks that these are certificates. Otherwise TLS would fail later with an error that does not say why. */
export function readAuthority(pem: string, where: string): string {
  const blocks = pemBlocks(pem, "CERTIFICATE");
  const next = "write the cluster's CA there: PEM that begins with -----BEGIN CERTIFICATE-----";
  if (blocks.length === 0) throw new InputError("the certificate authority contains no certificate", { where, next });
  if (!blocks.every((block) => parseCertificate(block) !== undefined)) {
    throw new InputError("the certificate authority contains a block that is not a certificate", { where, next });
  }
  return pem;
}

/** Checks that the certificate is valid now and that the key is its own. */
export function readClientCertificate(
  { certificate, key }: { readonly certificate: string; readonly key: string },
  where: string,
  clock: Pick<Clock, "now">,
): ClientCertificate {
  const [first] = pemBlocks(certificate, "CERTIFICATE");
  const parsed = first === undefined ? undefined : parseCertificate(first);
  if (parsed === undefined) {
    const next = "write PEM there, or create the kubeconfig again";
    throw new InputError("the client certificate is not a valid certificate", { where, next });
  }
  const privateKey = parseKey(key);
  if (privateKey === undefined) {
    throw new InputError("the client key is not a valid private key", {
      where,
      next: "write PEM there, without a passphrase",
    });
  }
  checkDates(parsed, where, clock);
  if (!parsed.checkPrivateKey(privateKey)) {
    const next = "use the key that the certificate was made with";
    throw new InputError("the client certificate and the client key do not belong together", { where, next });
  }
  return { certificate, key: new Secret(key) };
}

function checkDates({ validFromDate, validToDate }: X509Certificate, where: string, clock: Pick<Clock, "now">): void {
  if (clock.now() > validToDate.getTime()) {
    throw new InputError(`the client certificate expired on ${validToDate.toISOString()}`, {
      where,
      next: "log in again, or create the kubeconfig again",
    });
  }
  if (clock.now() < validFromDate.getTime()) {
    throw new InputError(`the client certificate is valid from ${validFromDate.toISOString()} on`, {
      where,
      next: "check this machine's clock",
    });
  }
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** OpenSSL's message about an unreadable key is not shown: it does not help, and may quote the key. */
function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** All PEM blocks with this label, in order, with their BEGIN and END lines. */
export function pemBlocks(text: string, label: string): string[] {
  return text.match(new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----`, "g")) ?? [];
}
