import { sql } from "drizzle-orm";
import { check, index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/**
 * Acts of administrators and of operators at the command line, each written in the transaction of the act. A trigger refuses to change or delete rows. A row
 * names accounts by their ids only, and stays when an account is erased.
 */
export const auditLog = pgTable(
  "audit_log",
  {
    id: uuid("id").primaryKey(),
    at: instant("at").notNull().default(sql`clock_timestamp()`),
    /**
     * `admin`: a person with a session, named by `actor_id`. `operator`: somebody at the command line of the server.
     */
    actor: text("actor").$type<"admin" | "operator">().notNull(),
    actorId: uuid("actor_id"),
    action: text("action")
      .$type<"set_plan" | "deactivate" | "reactivate" | "create" | "verify_email" | "make_api_key" | "start_session">()
      .notNull(),
    /** The account that the act changed. */
    subjectId: uuid("subject_id").notNull(),
    before: jsonb("before").$type<Record<string, string>>().notNull(),
    after: jsonb("after").$type<Record<string, string>>().notNull(),
    /** The request id of the call, as in its answer and in the log; null at the command line. */
    requestId: text("request_id"),
  },
  (table) => [
    index("audit_log_at").on(table.at, table.id),
    index("audit_log_subject").on(table.subjectId, table.at, table.id),
    check("audit_log_actor_known", sql`(${table.actor} = 'admin') = (${table.actorId} is not null)`),
  ],
);
