// One call of the JSON API: answers `data`, or throws an ApiError that says what is wrong.
import { inWords } from "./refusals.js";
import { session } from "./session.js";

/** What the server says of this page: where the API is, whose session it has, with which e-mail. */
export const page = document.querySelector("#shop").dataset;
export const API_BASE = page.apiBase;
const RETRIES = 2;
const RETRY_AFTER_MS = 1000;
// The name with https comes first: no other host can set that cookie.
const CSRF_COOKIES = [/(?:^|; )__Host-csrftoken=([^;]*)/, /(?:^|; )csrftoken=([^;]*)/];

export class ApiError extends Error {
  constructor(status, errors) {
    super(errors[0].detail);
    this.status = status;
    this.errors = errors;
  }
}

const fault = (status, detail) => new ApiError(status, [{ code: "fault", detail, attr: null }]);

export async function call(method, path, body, { token = session.token, key } = {}) {
  const headers = { "Accept-Language": document.documentElement.lang };
  if (key) headers["Idempotency-Key"] = key;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await send(method, path, headers, body);
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer.data;
  if (response.status === 401 && token) session.signOut();
  // What broke has no words of its own, but being busy has.
  const isSaid = response.status < 500 || response.status === 503;
  if (isSaid && answer.errors?.length) throw new ApiError(response.status, answer.errors.map(inWords));
  throw fault(response.status, gettext("The service could not answer. Please try again in a moment."));
}

/** As `call`: where the answer is lost it asks again, with one key, so that it happens once. */
export async function callOnce(method, path, body, options) {
  const key = `"${crypto.getRandomValues(new Uint32Array(4)).join("-")}"`;
  for (let left = RETRIES; ; left -= 1) {
    try {
      return await call(method, path, body, { ...options, key });
    } catch (error) {
      if (!left || !isUnclear(error)) throw error;
      await new Promise((resume) => setTimeout(resume, RETRY_AFTER_MS));
    }
  }
}

/** Whether the service may have done it all the same. */
const isUnclear = ({ status, errors }) =>
  [0, 503].includes(status) || errors?.[0].code === "request_in_progress";

export const csrfToken = () =>
  CSRF_COOKIES.map((cookie) => cookie.exec(document.cookie)?.[1]).find(Boolean) ?? "";

/** A page of the shop's own host, sent what a form would send. */
export const postPage = (path, body) =>
  fetch(path, {
    method: "POST",
    headers: { "X-CSRFToken": csrfToken() },
    body,
    redirect: "manual",
  });

export async function callPage(path) {
  const response = await postPage(path).catch(() => null);
  if (!response?.ok) throw fault(0, gettext("The shop could not answer. Please load the page again."));
  return (await response.json()).data;
}

async function send(method, path, headers, body) {
  try {
    return await fetch(API_BASE + path, { method, headers, body: JSON.stringify(body) });
  } catch {
    throw fault(
      0,
      gettext("The service cannot be reached. Please check your connection and try again."),
    );
  }
}
