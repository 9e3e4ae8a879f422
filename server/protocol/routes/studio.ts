/** The studio page and its access. */

import * as z from 'zod';
import { smallBody } from './bodyLimits.ts';
import { object, string } from './fields.ts';
import { jsonBody, route } from './route.ts';

export const home = route({
	method: 'GET',
	path: '/',
	who: 'anyone',
	also: ['stranger'],
	linked: true,
	summary: 'the studio page in a browser; a few lines of text elsewhere',
	answers: ['text/html', 'text/plain'],
	section: 'server',
});

export const studioFile = route({
	method: 'GET',
	path: '/studio/:file{[\\w.-]+\\.(?:js|css)}',
	who: 'anyone',
	also: ['stranger'],
	summary: 'files of the studio page',
	answers: ['text/javascript', 'text/css'],
	section: 'server',
});

export const openStudio = route({
	method: 'POST',
	path: '/nearglot/studio',
	summary: 'a link for one browser page, see below',
	answer: z.object({ url: z.string() }),
	section: 'server',
});

export const claimStudio = route({
	method: 'POST',
	path: '/studio/claim',
	also: ['local', 'stranger'],
	summary: 'ticket to token, once',
	body: jsonBody(object({ ticket: string({ minLength: 1, maxLength: 200 }) }), smallBody),
	answer: z.object({ token: z.string() }),
	section: 'server',
});

export const studioRoutes = [home, studioFile, openStudio, claimStudio] as const;
