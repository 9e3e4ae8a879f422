/** Paths of a Nearglot model server that are closed to the people of a team unless settings say otherwise. */

const ofModels = [
	'download',
	'import',
	'move',
	'remove',
	'register',
	'unregister',
	'refresh',
	'pin',
	'pause',
	'draft',
];

/** What only the owner of the model server does: its keys, its disk, its end. */
export const ownersPaths: readonly string[] = [
	'/nearglot/secrets*',
	'/nearglot/shutdown',
	'/nearglot/runners',
	...ofModels.map((name) => `/nearglot/models/${name}`),
];
