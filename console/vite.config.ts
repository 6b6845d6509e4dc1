import { defineConfig } from "vite";

/** Everything is a file of its own: the content policy of the server allows nothing inline. */
export default defineConfig({
  build: { assetsInlineLimit: 0, modulePreload: false, target: "es2022", license: { fileName: "licences.md" } },
});
