import { AuditTable } from "#components/admin/audit-table.tsx";
import { listAuditLog } from "#server/admin/list-audit-log.ts";
import { hrefIn, hrefWith } from "../../view.ts";
import { adminPage } from "../admin-page.tsx";

export default adminPage("/admin/log", async ({ admin, view }) => {
  const { after } = view.params;
  const { items, next } = await listAuditLog(admin, { after });
  return {
    title: "Audit log",
    crumb: { href: hrefIn(view.env, "/admin"), label: "Admin" },
    body: (
      <AuditTable
        acts={items}
        now={view.now}
        zone={view.zone}
        accountHref={(id) => hrefIn(view.env, `/admin/accounts/${id}`)}
        firstHref={after && hrefWith(view, { after: undefined })}
        nextHref={next === null ? undefined : hrefWith(view, { after: next })}
      />
    ),
  };
});
