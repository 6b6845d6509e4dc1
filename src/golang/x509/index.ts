export { type CertificateRequest, createCertificate, parseIp, type Signer } from "./create-certificate.ts";
export { type ParsedCertificate, parseCertificate } from "./parse-certificate.ts";
export { decodePem, encodePem } from "./pem.ts";
export { parsed, parsePkcs1, parsePrivateKeyPem, type PrivateKey, privateKeyPem } from "./private-key.ts";
