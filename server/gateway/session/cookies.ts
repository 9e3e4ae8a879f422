/** Reading, writing and removing cookies. Values are kept byte-exact. */

/** Beginning of the names of login cookies; a slot digit follows. */
export const loginCookieName = 'auth-n-';

export interface Cookie {
	readonly name: string;
	readonly value: string;
}

/** Cookies of all `Cookie` headers in order. */
export function parseCookies(headers: readonly string[]): Cookie[] {
	return headers
		.flatMap((value) => value.split(';'))
		.map((part) => {
			const at = part.indexOf('=');
			return at < 0
				? { name: '', value: part.trim() }
				: { name: part.slice(0, at).trim(), value: part.slice(at + 1).trim() };
		})
		.filter((cookie) => cookie.name !== '');
}

/** Session cookies of any prefix: a browser that sends several was given one by somebody else. */
export function sessionCookies(cookies: readonly Cookie[], sessionName: string): Cookie[] {
	const plain = withoutPrefix(sessionName);
	return cookies.filter(({ name }) => withoutPrefix(name) === plain);
}

/** Takes `__Host-` or `__Secure-` off. */
export function withoutPrefix(name: string): string {
	return name.replace(/^__(?:host|secure)-/i, '');
}

/** The session cookie, its pieces, or a login cookie, in any case and with any cookie prefix. */
export function isOwnCookie(name: string, sessionName: string): boolean {
	const plain = withoutPrefix(name).toLowerCase();
	const session = withoutPrefix(sessionName).toLowerCase();
	return plain === session || plain.startsWith(session) || plain.startsWith(loginCookieName);
}

/** A `Cookie` value without the layer's own cookies; empty when none is left. */
export function dropCookies(value: string, sessionName: string): string {
	const parts = value.split(';');
	const kept = parts.filter((part) => {
		const at = part.indexOf('=');
		return !isOwnCookie((at < 0 ? part : part.slice(0, at)).trim(), sessionName);
	});
	return kept.length === parts.length ? value : kept.join(';').trim();
}

/** Name in a `Set-Cookie` value. */
export function setCookieName(value: string): string {
	return value.split('=', 1)[0]!.split(';', 1)[0]!.trim();
}

export interface CookieOptions {
	readonly secure: boolean;
	readonly sameSite: 'Lax' | 'None';
	/** Omitted: until the browser is closed. 0 removes the cookie. */
	readonly maxAgeS?: number;
}

export function writeCookie(name: string, value: string, options: CookieOptions): string {
	return [
		`${name}=${value}`,
		'Path=/',
		'HttpOnly',
		...(options.secure ? ['Secure'] : []),
		`SameSite=${options.secure ? options.sameSite : 'Lax'}`,
		...(options.maxAgeS === undefined ? [] : [`Max-Age=${options.maxAgeS}`]),
	].join('; ');
}
