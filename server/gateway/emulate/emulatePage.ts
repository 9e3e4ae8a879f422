/** `/.auth/emulate`: the sign-in form of the emulated providers. Elsewhere there is no such page. */

import { AppError } from '../../protocol/errors.ts';
import { escapeHtml, paragraph, postForm, renderPage } from '../routes/renderPage.ts';
import { type GatewayRoute, sendPage } from '../routes/requestContext.ts';
import { EmulatedProvider } from './emulatedProvider.ts';

const example = '{"department": "Sales", "groups": ["g-1", "g-2"]}';

export const emulateRoute: GatewayRoute = async (exchange) => {
	const { context, query } = exchange;
	const provider = context.providers.find(query.get('provider') ?? '');
	if (!(provider instanceof EmulatedProvider))
		throw new AppError('not_found', 'There is no such page of the sign-in layer.');
	const { label, name } = provider.settings;
	const fields = [
		field('userId', 'User id', 'e0f3a1c2'),
		field('userDetails', 'User name', 'ann@example.com'),
		field('userRoles', 'Roles', 'anonymous authenticated'),
		`<p><label for="claims">Claims</label><textarea id="claims" name="claims" rows="4" placeholder="${escapeHtml(example)}"></textarea></p>`,
	];
	const form = postForm(
		`${context.settings.apiPrefix}/login/${name}/callback`,
		{ state: query.get('state') ?? '' },
		[{ text: 'Sign in', main: true }],
		fields.join(''),
	);
	sendPage(
		exchange,
		renderPage({
			title: `Sign in with ${label} (emulated)`,
			body: paragraph('Nobody is asked for a password here: say who you want to be.') + form,
		}),
	);
};

function field(name: string, label: string, value: string): string {
	return `<p><label for="${name}">${escapeHtml(label)}</label><input id="${name}" name="${name}" value="${escapeHtml(value)}"></p>`;
}
