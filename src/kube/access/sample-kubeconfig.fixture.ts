/** For tests: a certificate of an unused key, valid from 2026 to 2126. It is its own CA. */
export const sampleCertificate = `-----BEGIN CERTIFICATE-----
MIIBhTCCASugAwIBAgIUaOU5eSJhebkP3rkMd72pUm44ZTMwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMdGVub24tc2FtcGxlMCAXDTI2MTExNTIxMzM0MFoYDzIxMjYx
MDIyMjEzMzQwWjAXMRUwEwYDVQQDDAx0ZW5vbi1zYW1wbGUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAASmQTgB8fZdDmoQJeT6NACJgCzJ0Y92dz55pnVC7P9w6o3N
yZkRjs9P+0Hp2ziAI/67YZGljLE5oW44A5dhY4dUo1MwUTAdBgNVHQ4EFgQUUPKW
ne2XdwpPFOKcnaC1u0VS2N8wHwYDVR0jBBgwFoAUUPKWne2XdwpPFOKcnaC1u0VS
2N8wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAZ/gG9cvPbdG6r
PxaPEuT83GnL9Yjz3fyfF7VmFiDsZgIhAJP0dppfSnLx2Gq+0hwB8z4Gn2gBHlIL
aq/zgMIR3vK0
-----END CERTIFICATE-----
`;

export const sampleKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgaMkPvuzCQv6C+u5c
kzxYbyQCBEsibJXEZciVJOB6xHGhRANCAASmQTgB8fZdDmoQJeT6NACJgCzJ0Y92
dz55pnVC7P9w6o3NyZkRjs9P+0Hp2ziAI/67YZGljLE5oW44A5dhY4dU
-----END PRIVATE KEY-----
`;

/** For tests: a kubeconfig of three contexts, as kubectl writes it. */
export const sampleKubeconfig = `apiVersion: v1
kind: Config
current-context: work
clusters:
- name: one
  cluster:
    server: https://10.0.0.1:6443
    certificate-authority-data: ${inBase64(sampleCertificate)}
- name: two
  cluster:
    server: https://two.example:6443
    insecure-skip-tls-verify: true
contexts:
- name: work
  context: {cluster: one, user: certified, namespace: apps}
- name: play
  context: {cluster: two, user: bearer}
- name: plugged
  context: {cluster: one, user: plugin}
users:
- name: certified
  user:
    client-certificate-data: ${inBase64(sampleCertificate)}
    client-key-data: ${inBase64(sampleKey)}
- name: bearer
  user:
    token: sample-token-that-nobody-may-see
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: sample-plugin
      env: [{name: PLUGIN_TOKEN, value: sample-variable-that-nobody-may-see}]
      interactiveMode: Never
preferences: {}
`;

export const sampleSecrets: readonly string[] = [
  "sample-token-that-nobody-may-see",
  "sample-variable-that-nobody-may-see",
  inBase64(sampleKey),
  sampleKey.split("\n")[1] ?? "",
];

function inBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
