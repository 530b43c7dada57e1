import { AppError } from "#domain/errors.ts";
import { Admin } from "#server/admin/admin.ts";
import { dashboardPage, type Opened, type Shown } from "../dashboard-page.tsx";

/** A page of the dashboard for administrators; for everybody else it does not exist. */
export function adminPage(path: string, show: (opened: Opened & { admin: Admin }) => Promise<Shown>) {
  return dashboardPage(path, (opened) => show({ ...opened, admin: adminOrThrow(opened.ctx) }));
}

function adminOrThrow(ctx: Opened["ctx"]): Admin {
  try {
    return Admin.ofSession(ctx, null);
  } catch (error) {
    if (error instanceof AppError && error.code === "FORBIDDEN")
      throw new AppError("NOT_FOUND", "There is no such page.");
    throw error;
  }
}
