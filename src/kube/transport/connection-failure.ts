import { X509Certificate } from "node:crypto";
import type { ClusterAccess } from "../access/cluster-access.ts";
import { ConnectionError, type ConnectionFailure } from "./connection-error.ts";
import { SizeLimitError, TimeLimitError } from "./send-request.ts";
import { pemBlocks } from "../access/read-certificates.ts";

type Explanation = readonly [failure: ConnectionFailure, what: string, next?: string];

/** Explains an error of undici, TLS or the system, and says what to do. */
export function connectionFailure(
  cause: unknown,
  access: ClusterAccess,
  call: { readonly asked: string; readonly wasSent: boolean },
): ConnectionError {
  const [failure, what, next] = explain(cause, access, call.wasSent);
  const where = `${call.asked} on ${access.context}`;
  return new ConnectionError(`${where}: ${what}`, {
    failure,
    wasSent: call.wasSent,
    ...(next === undefined ? {} : { next }),
    cause,
  });
}

function explain(cause: unknown, access: ClusterAccess, wasSent: boolean): Explanation {
  const { server, source } = access;
  const at = `the server ${server.origin}`;
  const code = codeOf(cause);
  const check = `check \`server\` of the cluster in ${source}`;
  if (isProxyFailure(cause)) {
    return [
      "proxy",
      `the proxy does not connect to ${server.host}: ${textOf(cause)}`,
      `check \`proxy-url\` in ${source}`,
    ];
  }
  if (cause instanceof TimeLimitError) {
    return [
      "timeout",
      `${at} gave ${cause.message}`,
      "check whether the server is overloaded, and the network on the way to it",
    ];
  }
  if (cause instanceof SizeLimitError) return ["too-large", cause.message, "ask for less at once"];
  switch (code) {
    case "UND_ERR_DESTROYED":
    case "UND_ERR_CLOSED":
      return ["closed", "Tenon has closed its connections to this cluster"];
    case "ECONNREFUSED":
      return ["refused", `${at} refuses connections`, `is the cluster running? if it moved, ${check}`];
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return ["unknown-host", `the name ${server.hostname} cannot be resolved`, `${check}, or the DNS of this machine`];
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return ["unreachable", `there is no route to ${server.host}`, "check the network, or the VPN if you need one"];
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
      return ["timeout", `${at} does not accept connections in time`, `check network and firewall, or ${check}`];
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return [
        "untrusted",
        `${at} has a certificate for other names: ${textOf(cause)}`,
        `use one of them in \`server\`, or set \`tls-server-name\` in ${source}`,
      ];
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return [
        "untrusted",
        `the certificate of ${at} is not valid now (${code})`,
        "renew it, or check this machine's clock",
      ];
    case "EPROTO":
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return ["untrusted", `${at} does not speak TLS as expected: ${textOf(cause)}`, `${check}: http or https?`];
    default:
      if (isMistrust(code)) return mistrust(access, code);
      return [
        "broken",
        `the connection to ${at} ended ${wasSent ? "before the answer was complete" : "before the request was sent"}: ${textOf(cause)}`,
      ];
  }
}

/** https://docs.openssl.org/master/man3/X509_STORE_CTX_get_error/#error-codes, as Node names them. */
function isMistrust(code: string): boolean {
  return /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_(UNTRUSTED|REJECTED|SIGNATURE|REVOKED)|INVALID_CA|ERR_SSL_.*CERTIFICATE)/.test(
    code,
  );
}

function mistrust({ server, source, certificateAuthority }: ClusterAccess, code: string): Explanation {
  const what = `the certificate of ${server.origin} is not signed by ${describeAuthority(certificateAuthority)} (${code})`;
  const next = `put the CA of this cluster into \`certificate-authority-data\` in ${source}; was the cluster recreated?`;
  return ["untrusted", what, next];
}

function describeAuthority(pem: string | undefined): string {
  if (pem === undefined) return "a CA that this machine trusts";
  const subjects = pemBlocks(pem, "CERTIFICATE").map((block) =>
    new X509Certificate(block).subject.replaceAll("\n", ", "),
  );
  return `the CA of the kubeconfig (${subjects.join("; ")})`;
}

/** By undici's messages, because it gives these errors no code: lib/dispatcher/proxy-agent.js */
function isProxyFailure(cause: unknown): boolean {
  const text = textOf(cause);
  return (
    codeOf(cause) === "UND_ERR_PRX_TLS" ||
    codeOf(cause) === "UND_ERR_PRX_CONN" ||
    /^Proxy (response|Authentication)/i.test(text)
  );
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";
}

function textOf(cause: unknown): string {
  return cause instanceof Error && cause.message !== "" ? cause.message : codeOf(cause) || "no reason given";
}
