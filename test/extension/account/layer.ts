/** A real sign-in layer at an address of its own, and the browser of a person in front of it. */

import assert from 'node:assert/strict';
import { Harness, type HarnessOptions, type Json } from '../../gateway/support/harness.ts';
import { freePort } from '../../support/freePort.ts';

/** A layer whose public address is the one it listens on. */
export async function startLayer(
	config: Json = {},
	options: Omit<HarnessOptions, 'config' | 'port'> = {},
): Promise<{ layer: Harness; origin: string }> {
	const port = await freePort();
	const origin = `http://127.0.0.1:${port}`;
	const layer = await Harness.start({
		...options,
		port,
		config: { ...config, 'x-gateway': { publicUrl: origin } },
	});
	return { layer, origin };
}

/** A browser that opens pages of the layer and presses their buttons. */
export class PersonsBrowser {
	readonly #layer: Harness;
	readonly #origin: string;

	constructor(layer: Harness, origin: string) {
		this.#layer = layer;
		this.#origin = origin;
	}

	/** Opens a page as a browser does. */
	async navigate(target: string, cookie = '') {
		const answer = await fetch(this.#origin + target, {
			redirect: 'manual',
			headers: {
				accept: 'text/html',
				'user-agent': 'Mozilla/5.0',
				'sec-fetch-site': 'same-origin',
				'sec-fetch-mode': 'navigate',
				'sec-fetch-dest': 'document',
				...(cookie === '' ? {} : { cookie }),
			},
		});
		const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
		return {
			status: answer.status,
			location: answer.headers.get('location') ?? '',
			cookies,
			body: await answer.text(),
		};
	}

	/** Signs the person in; returns the cookies. */
	async signIn(): Promise<string> {
		const begun = await this.navigate('/.auth/login/corp?post_login_redirect_uri=%2Fapp');
		const back = this.#layer.provider.authorize(begun.location);
		const done = await this.navigate(back.pathname + back.search, begun.cookies.join('; '));
		assert.equal(done.status, 302, done.body);
		return done.cookies.filter((cookie) => !cookie.endsWith('=')).join('; ');
	}

	/** Presses a button of a page of the layer; `values` are the fields besides the sealed one. */
	async press(target: string, action: string, cookie: string, values: Record<string, string>) {
		const page = await this.navigate(target, cookie);
		assert.equal(page.status, 200, page.body);
		const sealed = /name="page" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
		const answer = await fetch(this.#origin + action, {
			method: 'POST',
			redirect: 'manual',
			headers: {
				cookie,
				origin: this.#origin,
				'sec-fetch-site': 'same-origin',
				'content-type': 'application/x-www-form-urlencoded',
			},
			body: new URLSearchParams({ page: sealed, ...values }),
		});
		return { page, answer };
	}
}
