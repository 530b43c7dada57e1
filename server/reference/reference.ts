import { type CodeSamples, samplesOf } from "./code-samples.ts";
import { type OpenApiDocument, openApiDocument } from "./openapi.ts";
import { fieldsOf, type ReferenceField, resolverOf, type Schema } from "./reference-fields.ts";

export type ReferenceOperation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string | undefined;
  /** Who may call it, in words. */
  auth: string;
  takesApiKey: boolean;
  parameters: readonly ReferenceField[];
  body: readonly ReferenceField[];
  answers: readonly ReferenceAnswer[];
  /** The codes of the errors that it may answer with, each with its HTTP status. */
  errors: readonly { status: string; code: string }[];
  /** Null for the request that a target receives: it is no endpoint. */
  samples: CodeSamples | null;
};

export type ReferenceAnswer = {
  status: string;
  description: string;
  /** The fields of its body; empty when an earlier answer of the group has the same fields. */
  fields: readonly ReferenceField[];
  /** The earlier answer with the same fields. */
  sameFieldsAs?: AnswerName;
  /** An example of its body, as formatted JSON or as the events of a stream. */
  example: string | undefined;
};

/** Identifies an answer: id and summary of its operation, and the status. */
export type AnswerName = Pick<ReferenceOperation, "id" | "summary"> & Pick<ReferenceAnswer, "status">;

export type ReferenceGroup = {
  slug: string;
  title: string;
  description: string;
  operations: readonly ReferenceOperation[];
};

/**
 * The operations of the OpenAPI document at `baseUrl` for the pages of the reference: by tag, in the order of the
 * document.
 */
export function readReference(baseUrl: string): readonly ReferenceGroup[] {
  const document = openApiDocument(baseUrl);
  const groups = groupsByDocument.get(document) ?? groupsOf(document, baseUrl);
  groupsByDocument.set(document, groups);
  return groups;
}

/** Where the group of an operation is on this site. */
export function referenceHref({ slug }: Pick<ReferenceGroup, "slug">): string {
  return `/docs/api/${slug}`;
}

/** The operations that take an API key, without groups that have none. */
export function ofApiKeys(groups: readonly ReferenceGroup[]): readonly ReferenceGroup[] {
  return groups
    .map((group) => ({ ...group, operations: group.operations.filter(({ takesApiKey }) => takesApiKey) }))
    .filter(({ operations }) => operations.length > 0);
}

export function countOperations(groups: readonly ReferenceGroup[]): number {
  return groups.reduce((sum, { operations }) => sum + operations.length, 0);
}

/** The path of the request that a target receives. */
const TARGET = "your target";

const groupsByDocument = new WeakMap<OpenApiDocument, readonly ReferenceGroup[]>();

function groupsOf(document: OpenApiDocument, baseUrl: string): ReferenceGroup[] {
  const entries = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: operation as OperationObject,
    })),
  );
  const delivery = document.webhooks.delivery.post as OperationObject;
  entries.push({ method: "POST", path: TARGET, operation: delivery });
  const read = operationReader(document, baseUrl);
  return document.tags
    .map(({ name, description = "" }) => ({
      slug: name.toLowerCase().replaceAll(/[^a-z]+/g, "-"),
      title: name,
      description,
      operations: withoutRepeats(entries.filter(({ operation }) => operation.tags.includes(name)).map(read)),
    }))
    .filter(({ operations }) => operations.length > 0);
}

/** Keeps the fields of the first of equal answers only: most answers of a group are the same object, such as a schedule. */
function withoutRepeats(operations: readonly ReferenceOperation[]): ReferenceOperation[] {
  const described = new Map<string, AnswerName>();
  return operations.map((operation) => ({
    ...operation,
    answers: operation.answers.map((answer) => {
      if (answer.fields.length === 0) return answer;
      const key = JSON.stringify(answer.fields);
      const sameFieldsAs = described.get(key);
      if (sameFieldsAs !== undefined) return { ...answer, fields: [], sameFieldsAs };
      described.set(key, { id: operation.id, summary: operation.summary, status: answer.status });
      return answer;
    }),
  }));
}

type Content = { content?: Record<string, { schema?: Schema; example?: unknown }> };
type OperationObject = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, unknown>[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: Content;
  responses: Record<string, { $ref?: string; description?: string } & Content>;
};

function operationReader(document: OpenApiDocument, baseUrl: string) {
  const resolve = resolverOf(document);
  return ({ method, path, operation }: { method: string; path: string; operation: OperationObject }) => {
    const { operationId: id, summary, description, security, parameters = [], requestBody, responses } = operation;
    const json = requestBody?.content?.["application/json"];
    const schemes = security.flatMap(Object.keys);
    return {
      id,
      method,
      path,
      summary,
      description,
      auth: authOf(schemes),
      takesApiKey: schemes.includes("apiKey"),
      parameters: parameters.map((parameter) => ({
        ...resolve.describe(parameter.schema ?? {}),
        name: parameter.name,
        place: parameter.in,
        isRequired: parameter.required === true,
        ...(parameter.description && { description: parameter.description }),
      })),
      body: json?.schema ? fieldsOf(json.schema, resolve) : [],
      answers: Object.entries(responses)
        .filter(([, { $ref }]) => $ref === undefined)
        .map(([status, answer]) => answerOf(status, answer, resolve)),
      errors: errorsOf(responses),
      samples:
        path === TARGET
          ? null
          : samplesOf({
              operationId: id,
              baseUrl,
              method,
              path,
              schemes,
              body: json?.example,
              isStream: Object.values(responses).some(({ content = {} }) => EVENTS in content),
            }),
    };
  };
}

/** The error codes without repeats: 408 (a body that is sent too slowly) has the same code as 400. */
function errorsOf(responses: OperationObject["responses"]) {
  const errors = new Map<string, string>();
  for (const [status, { $ref }] of Object.entries(responses)) {
    const code = $ref?.split("/").at(-1);
    if (code !== undefined && !errors.has(code)) errors.set(code, status);
  }
  return [...errors].map(([code, status]) => ({ code, status }));
}

function answerOf(
  status: string,
  { description = "", content }: { description?: string } & Content,
  resolve: ReturnType<typeof resolverOf>,
): ReferenceAnswer {
  const json = content?.["application/json"];
  const events = content?.[EVENTS]?.example as string | undefined;
  return {
    status,
    description,
    fields: json?.schema ? fieldsOf(json.schema, resolve) : [],
    example: json?.example === undefined ? events?.trimEnd() : JSON.stringify(json.example, null, 2),
  };
}

const EVENTS = "text/event-stream";

function authOf(schemes: readonly string[]): string {
  const names = schemes.map((scheme) => (scheme === "apiKey" ? "API key" : "session"));
  return names.length === 0 ? "no credential" : names.join(" or ");
}
