/**
 * The kubeconfig of the control plane that this test file may use: that of its worker, or the one that the variable named
 * before the run.
 */
export function testKubeconfig(): string {
  const path = process.env["TENON_TEST_KUBECONFIG"];
  if (!path)
    throw new Error("no control plane: TENON_TEST_KUBECONFIG is not set; run this file in project live or e2e");
  return path;
}
