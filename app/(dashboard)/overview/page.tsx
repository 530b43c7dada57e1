import { dashboardPage } from "../dashboard-page.tsx";
import { showOverview } from "./show-overview.tsx";

export default dashboardPage("/overview", showOverview);
