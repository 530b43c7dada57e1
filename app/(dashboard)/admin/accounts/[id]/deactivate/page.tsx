import { statusPage } from "../status-page.tsx";

export default statusPage("deactivate");
