import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv, promisify } from "node:util";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { Job } from "kubernetes-models/batch/v1/Job";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import type { IPodTemplateSpec } from "kubernetes-models/v1/PodTemplateSpec";
import { Service } from "kubernetes-models/v1/Service";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "#config.ts";
import { PROGRAMS } from "#scripts/production/programs.ts";
import { samplesOf } from "#tests/helpers/doc-samples.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDER = join(PROJECT, "deploy/kubernetes");
const read = (name: string) => readFileSync(join(FOLDER, name), "utf8");

// Their validators are made from the OpenAPI document of Kubernetes.
const MODELS = { Deployment, HorizontalPodAutoscaler, Job, NetworkPolicy, PodDisruptionBudget, Service };

type Manifest = {
  apiVersion: string;
  kind: keyof typeof MODELS;
  metadata: { name: string; labels: Record<string, string> };
  spec: Record<string, unknown> & { template: IPodTemplateSpec };
};

const kustomization = parse(read("kustomization.yaml"));
const manifests: Manifest[] = kustomization.resources.flatMap((name: string) =>
  parseAllDocuments(read(name)).map((document) => document.toJS()),
);
const ofKind = (kind: string) => manifests.filter((one) => one.kind === kind);
const withPods = manifests.filter(({ kind }) => kind === "Deployment" || kind === "Job");
const podOf = ({ spec }: Manifest) => {
  const pod = spec.template.spec;
  const [container, ...others] = pod?.containers ?? [];
  if (!pod || !container || others.length > 0) throw new Error("expected a pod of one container");
  return { pod, container, labels: spec.template.metadata?.labels ?? {} };
};
const named = (manifest: Manifest) => `${manifest.kind} ${manifest.metadata.name}`;

describe("the manifests for Kubernetes", () => {
  it("are all of the files that the kustomization lists, and the settings", () => {
    const files = readdirSync(FOLDER).filter((name) => name !== "kustomization.yaml");
    const [{ envs }] = kustomization.configMapGenerator;
    expect(files.sort()).toEqual([...kustomization.resources, ...envs].sort());
  });

  it("have a network policy for the pods of each, and let the monitoring alone reach a dispatcher", () => {
    const policyOf = (labels: Record<string, string>) =>
      ofKind("NetworkPolicy").find(({ spec }) => {
        const { matchLabels } = spec.podSelector as { matchLabels: Record<string, string> };
        return Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
      });
    for (const one of withPods) {
      // Kubernetes gives the pods of a Job this label.
      const ofJob: Record<string, string> =
        one.kind === "Job" ? { "batch.kubernetes.io/job-name": one.metadata.name } : {};
      expect(policyOf({ ...podOf(one).labels, ...ofJob })?.spec.policyTypes, named(one)).toEqual(["Ingress"]);
    }
    const rules = policyOf({ "app.kubernetes.io/name": "stopwatch-dispatcher" })?.spec.ingress;
    expect(rules).toEqual([{ from: [{ namespaceSelector: expect.anything() }], ports: [{ port: "metrics" }] }]);
    expect(policyOf({ "batch.kubernetes.io/job-name": "stopwatch-migrate" })?.spec.ingress).toBeUndefined();
  });

  it.each(manifests.map((one) => [named(one), one] as const))("%s passes the schema of Kubernetes", (_, manifest) => {
    const Model = MODELS[manifest.kind] as unknown as { apiVersion: string; new (data: unknown): { validate(): void } };
    expect(manifest.apiVersion).toBe(Model.apiVersion);
    new Model(manifest).validate();
  });

  it("have no field that Kubernetes does not know", async () => {
    const cache = join(PROJECT, "node_modules/.cache");
    mkdirSync(cache, { recursive: true });
    // Beside the packages, where the compiler finds their types.
    const folder = mkdtempSync(join(cache, "stopwatch-manifests-"));
    try {
      const lines = manifests.map(({ apiVersion, kind, ...rest }, at) => {
        const type = `import("kubernetes-models/${apiVersion}/${kind}").I${kind}`;
        return `export const m${at}: ${type} = ${JSON.stringify({ apiVersion, kind, ...rest })};`;
      });
      const file = join(folder, "manifests.ts");
      writeFileSync(file, lines.join("\n"));
      const tsc = ["--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig", "--module", "nodenext", file];
      await promisify(execFile)(join(PROJECT, "node_modules/.bin/tsc"), tsc).catch((error) => {
        throw new Error(error.stdout);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("select the pods that they mean", () => {
    const pods = withPods.map((one) => podOf(one).labels);
    const selectors = [
      ...["Deployment", "PodDisruptionBudget"]
        .flatMap(ofKind)
        .map(({ spec }) => (spec.selector as { matchLabels: object }).matchLabels),
      ...ofKind("Service").map(({ spec }) => spec.selector as object),
      ...ofKind("Deployment").flatMap(
        (one) => podOf(one).pod.topologySpreadConstraints?.map(({ labelSelector }) => labelSelector?.matchLabels) ?? [],
      ),
    ];
    for (const selector of selectors) {
      const selected = pods.filter((labels) =>
        Object.entries(selector ?? {}).every(([key, value]) => labels[key] === value),
      );
      expect(selected, JSON.stringify(selector)).toHaveLength(1);
    }
    const [autoscaler] = ofKind("HorizontalPodAutoscaler");
    const target = autoscaler?.spec.scaleTargetRef as { name: string };
    const scaled = ofKind("Deployment").find(({ metadata }) => metadata.name === target.name);
    // Both would set the number of pods.
    expect(scaled?.spec).not.toHaveProperty("replicas");
  });

  it("ask the health checks of the program, at its ports", () => {
    const ports: Record<string, number> = { web: config.port, dispatcher: config.dispatcherPort };
    for (const deployment of ofKind("Deployment")) {
      const { container } = podOf(deployment);
      const [port] = container.ports ?? [];
      expect(port?.containerPort).toBe(ports[container.name]);
      const { livenessProbe, readinessProbe, startupProbe } = container;
      for (const probe of [livenessProbe, readinessProbe, ...(startupProbe ? [startupProbe] : [])]) {
        expect(["/healthz", "/readyz"]).toContain(probe?.httpGet?.path);
        expect(probe?.httpGet?.port).toBe(port?.name);
      }
      // A restart mends no database.
      expect(livenessProbe?.httpGet?.path).toBe("/healthz");
    }
    for (const { spec } of ofKind("Service")) expect(spec.ports).toMatchObject([{ targetPort: "http" }]);
  });

  it.each(withPods.map((one) => [named(one), one] as const))(
    "%s has no privilege, and nothing to write to",
    (_, one) => {
      const { pod, container } = podOf(one);
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      const volumes = pod.volumes?.map(({ name }) => name);
      expect(volumes).toEqual(expect.arrayContaining(container.volumeMounts?.map(({ name }) => name) ?? []));
      expect(container.env).toBeUndefined();
    },
  );

  it("run programs of the image, as its user, with the folder that it may write to", () => {
    const image = readFileSync(join(PROJECT, "Dockerfile"), "utf8");
    const [, user, group] = /^USER (\d+):(\d+)$/m.exec(image) ?? [];
    const [, dataDir] = /^ENV .*\bDATA_DIR=(\S+)/m.exec(image) ?? [];
    for (const one of withPods) {
      const { pod, container } = podOf(one);
      expect(PROGRAMS.has(container.args?.[0] ?? "")).toBe(true);
      expect([pod.securityContext?.runAsUser, pod.securityContext?.runAsGroup].join(":")).toBe(`${user}:${group}`);
      const data = container.volumeMounts?.find(({ name }) => name === "data");
      if (one.kind === "Deployment") expect(data?.mountPath).toBe(dataDir);
    }
  });

  it("give each part the minute that it may need to stop", () => {
    for (const one of withPods) expect(podOf(one).pod.terminationGracePeriodSeconds).toBe(60);
  });

  it("have settings that the program takes, with the secrets that docs/containers.md makes", () => {
    expect(config.baseUrl).toBe("https://stopwatch.example.com");
    expect(config.databaseUrl).toBe(DATABASE_URL);
  });
});

const DATABASE_URL = "postgres://user:password@db:5432/stopwatch";
const config = readSettings();

/** The configuration of a pod: its settings, and as secrets the files that the page's command puts into the Secret. */
function readSettings() {
  const given = parseEnv(read("settings.env")) as Record<string, string>;
  const mounts = withPods.map(
    (one) => podOf(one).container.volumeMounts?.find(({ name }) => name === "secrets")?.mountPath,
  );
  const [mount = ""] = mounts;
  if (mounts.some((path) => path !== mount)) throw new Error("the secrets are at several paths");
  const folder = mkdtempSync(join(tmpdir(), "stopwatch-secrets-"));
  try {
    const values: Record<string, string> = { "database-url": DATABASE_URL, "encryption-keys": ENCRYPTION_KEYS };
    const steps = samplesOf("containers.md").map(({ code }) => code);
    for (const [, key = ""] of steps.join().matchAll(/--from-file=([\w-]+)/g)) {
      writeFileSync(join(folder, key), values[key] ?? "");
    }
    return readConfig(
      Object.fromEntries(
        Object.entries(given).map(([name, value]) => [name, value.replace(`${mount}/`, `${folder}/`)]),
      ),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
