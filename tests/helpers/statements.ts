import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import type { Sql } from "#db/client.ts";
import type { Db } from "#db/orm.ts";
import * as schema from "#db/schema/index.ts";

export type Statement = { text: string; parameters: unknown[] };

/** A node of an executed plan with its child nodes. */
export type PlanNode = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Heap Fetches"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: PlanNode[];
};

export type Explained = { planningMs: number; executionMs: number; plans: PlanNode[] };

/** A connection that records the statements it sends, so that they can be explained. `session` are its settings. */
export function watchStatements(url: string, session: Record<string, string | number> = {}) {
  const sent: Statement[] = [];
  const sql = postgres(url, {
    max: 1,
    fetch_types: false,
    onnotice: () => {},
    connection: session as never,
    debug: (_connection, text, parameters) => sent.push({ text, parameters: [...parameters] }),
  });
  const db: Db = drizzle(sql, { schema });
  return {
    sql: sql as Sql,
    db,
    /** The statements that `work` sends. */
    async of(work: () => Promise<unknown>): Promise<Statement[]> {
      sent.length = 0;
      await work();
      return sent.splice(0);
    },
    /** Runs statements again in their order, and explains each query. Other statements run unchanged. */
    async explainAll(statements: readonly Statement[]): Promise<Explained> {
      const explained: Explained = { planningMs: 0, executionMs: 0, plans: [] };
      for (const { text, parameters } of statements) {
        const isQuery = /^\s*(select|with|insert|update|delete)/i.test(text) && !text.includes("set_config");
        const head = isQuery ? "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) " : "";
        const [row] = await sql.unsafe(`${head}${text}`, parameters as never[]);
        if (!isQuery) continue;
        const reported = row?.["QUERY PLAN"][0];
        explained.planningMs += reported["Planning Time"];
        explained.executionMs += reported["Execution Time"];
        explained.plans.push(reported.Plan);
      }
      return explained;
    },
    close: () => sql.end(),
  };
}

/** A plan node and all nodes below it. */
export function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** The shared buffers that a plan with all its nodes, and the functions that it calls, looked at. */
export const buffersOf = (plan: PlanNode): number => plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
