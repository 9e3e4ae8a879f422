/** The few pages people see. Plain HTML without outside resources; every inserted text is escaped. */

/** Text safe inside HTML and attribute values. */
export function escapeHtml(text: string): string {
	const entities: ReadonlyMap<string, string> = new Map(
		Object.entries<string>({
			'&': '&amp;',
			'<': '&lt;',
			'>': '&gt;',
			'"': '&quot;',
			"'": '&#39;',
		}),
	);
	return text.replace(/[&<>"']/g, (mark) => entities.get(mark)!);
}

const style = `
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0;display:grid;place-items:center;min-height:100vh;background:Canvas;color:CanvasText}
main{max-width:26rem;padding:2rem;width:100%;box-sizing:border-box}
h1{font-size:1.25rem;margin:0 0 1rem}
button,a.button{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.6rem 1rem;margin:.5rem 0;border:1px solid;border-radius:.4rem;text-align:center;text-decoration:none;color:inherit;background:none;cursor:pointer}
button.main{background:AccentColor;color:AccentColorText;border-color:AccentColor}
:focus-visible{outline:3px solid Highlight;outline-offset:2px}
input{font:inherit;width:100%;box-sizing:border-box;padding:.6rem;border:1px solid;border-radius:.4rem}
code{font:1.1rem ui-monospace,monospace;overflow-wrap:anywhere}
`;

export interface Page {
	readonly title: string;
	/** HTML; the caller must escape it. */
	readonly body: string;
	readonly script?: { readonly nonce: string; readonly text: string };
}

export function renderPage(page: Page): string {
	const script = page.script
		? `<script nonce="${page.script.nonce}">${page.script.text}</script>`
		: '';
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${escapeHtml(page.title)}</title><style>${style}</style></head><body><main><h1>${escapeHtml(page.title)}</h1>${page.body}</main>${script}</body></html>`;
}

export function paragraph(text: string): string {
	return `<p>${escapeHtml(text)}</p>`;
}

export function link(href: string, text: string): string {
	return `<a class="button" href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;
}

/** A form that posts hidden fields with one click. */
export function postForm(
	action: string,
	fields: Readonly<Record<string, string>>,
	buttons: readonly { name?: string; value?: string; text: string; main?: boolean }[],
	visible = '',
): string {
	const hidden = Object.entries(fields)
		.map(
			([name, value]) =>
				`<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
		)
		.join('');
	const rows = buttons
		.map(
			(row) =>
				`<button${row.main ? ' class="main"' : ''}${row.name === undefined ? '' : ` name="${escapeHtml(row.name)}" value="${escapeHtml(row.value ?? '')}"`}>${escapeHtml(row.text)}</button>`,
		)
		.join('');
	return `<form method="post" action="${escapeHtml(action)}">${hidden}${visible}${rows}</form>`;
}

/** A value that may stand inside a script element. */
export function scriptValue(value: unknown): string {
	return JSON.stringify(value).replace(
		/[<>&\u2028\u2029]/g,
		(mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
