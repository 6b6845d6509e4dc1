import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { TemplateSet } from "../go-template/index.ts";
import { Budget, chartLimits, type GoValue } from "#golang";
import { certificates, plugCertificates } from "./generate-certificates.ts";
import { sprigFunctions } from "./sprig-functions.ts";

const start = Date.UTC(2049, 11, 31, 23, 59, 58, 900);

function render(text: string, data: GoValue = null, steps = chartLimits.steps): string {
  const set = new TemplateSet({ functions: sprigFunctions });
  set.parse("t", text);
  const budget = new Budget({ ...chartLimits, steps });
  return set.execute("t", data, { context: { budget, now: () => start, host: {} } });
}

function certificate(text: string, data: GoValue = null): X509Certificate {
  return new X509Certificate(render(`{{ (${text}).Cert }}`, data));
}

test("a certificate is valid from now on, in whole seconds, even beyond 2049", () => {
  const { validFromDate, validToDate } = certificate('genCAWithKey "ca" 1 (genPrivateKey "ecdsa")');
  expect(validFromDate.toISOString()).toBe("2049-12-31T23:59:58.000Z");
  expect(validToDate.toISOString()).toBe("2050-01-01T23:59:58.000Z");
});

test("more days than a duration can hold end in the past, as in Go", () => {
  const { validToDate } = certificate('genCAWithKey "ca" 110000 (genPrivateKey "ecdsa")');
  expect(validToDate.getTime()).toBeLessThan(start);
});

test("each certificate gets another serial number", () => {
  const serials = [1, 2].map(() => certificate('genCAWithKey "ca" 1 (genPrivateKey "ecdsa")').serialNumber);
  expect(new Set(serials).size).toBe(2);
});

describe("an authority", () => {
  const [cert = "", key = ""] = render(
    '{{ $ca := genCAWithKey "ca" 365 (genPrivateKey "ecdsa") }}{{ $ca.Cert }};{{ $ca.Key }}',
  ).split(";");
  const authority = new X509Certificate(cert);
  const given = "(buildCustomCert (b64enc .cert) (b64enc .key))";

  test("an authority signs certificates that verify with it", () => {
    const call = `genSignedCertWithKey "foo" (list "10.0.0.1") (list "foo.com") 1 ${given} (genPrivateKey "ecdsa")`;
    const signed = certificate(call, { cert, key });
    expect(signed.verify(authority.publicKey)).toBe(true);
    expect(signed.checkIssued(authority)).toBe(true);
    expect(signed.ca).toBe(false);
    expect(signed.subjectAltName).toBe("DNS:foo.com, IP Address:10.0.0.1");
  });

  test("an invalid authority is refused before a key is generated", () => {
    const call = `{{ genSignedCert "foo" nil (list 5) 1 ${given} }}`;
    expect(() => render(call, { cert, key }, 1_000)).toThrow("5 is not a string");
  });
});

test.each(['genCA "ca" 1', 'genPrivateKey "rsa"', 'genPrivateKey "dsa"'])(
  "a key that takes long to make costs steps: %s",
  (call) => {
    expect(() => render(`{{ ${call} }}`, null, 40_000)).toThrow("takes more than 40000 steps");
  },
);

test("all certificate functions but buildCustomCert are marked unstable", () => {
  const all = Object.entries({ ...certificates, ...plugCertificates });
  expect(all.filter(([, { unstable }]) => unstable !== true).map(([name]) => name)).toEqual(["buildCustomCert"]);
});
