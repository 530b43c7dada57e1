import { dashboardPage } from "../dashboard-page.tsx";
import { showOverview } from "./show-overview.tsx";

export const metadata = { title: "Overview", robots: "noindex" };

export default dashboardPage("/overview", showOverview);
