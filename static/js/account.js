/** The account page: one's own keys. */

import { call } from "./corrector/api.js";
import { KeyEditor, followKeys } from "./corrector/keyeditor.js";
import { applyKeys } from "./corrector/keytable.js";
import { find, pageData } from "./dom.js";

const page = pageData("page-data");

applyKeys(page.preferences.keys);
followKeys();
new KeyEditor(find("[data-keys]"), { api: (method, path, body) => call(page.api, method, path, body) });
