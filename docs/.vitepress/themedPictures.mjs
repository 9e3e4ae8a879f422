/**
 * Pictures of the site follow its own light and dark switch. In the repository a `<picture>` chooses by what the system is
 * set to, which is all that Markdown has; here it becomes one picture for each theme, of which styles show one.
 */

const attribute = (tag, name) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
const isDark = /prefers-color-scheme:\s*dark/;
const isStill = /prefers-reduced-motion:\s*reduce/;

/** @param {string} html A `<picture>`, or anything else, which stays as it is. */
export function themedPictures(html) {
	return html.replaceAll(/<picture>(.*?)<\/picture>/gs, (_, inside) => {
		const sources = [...inside.matchAll(/<source\b[^>]*>/g)].map(([tag]) => ({
			media: attribute(tag, 'media') ?? '',
			address: attribute(tag, 'srcset') ?? '',
		}));
		const image = /<img\b[^>]*>/.exec(inside)?.[0] ?? '';
		const rest = { media: '', address: attribute(image, 'src') ?? '' };
		const alt = attribute(image, 'alt') ?? '';
		const show = (dark, still) => {
			const fits = ({ media }) => (dark || !isDark.test(media)) && (still || !isStill.test(media));
			const { address } = [...sources, rest].find(fits);
			const classes = [dark ? 'only-dark' : 'only-light', still ? 'still' : 'moving'].join(' ');
			return `<img class="${classes}" src="${address}" alt="${alt}" loading="lazy">`;
		};
		const moves = sources.some(({ media }) => isStill.test(media));
		const shown = [show(false, false), show(true, false)];
		return moves
			? `<MovingPicture>${[...shown, show(false, true), show(true, true)].join('')}</MovingPicture>`
			: shown.join('');
	});
}

/** Makes markdown-it write them so. */
export function usePictures(markdown) {
	const write = markdown.renderer.rules.html_block;
	markdown.renderer.rules.html_block = (...args) => themedPictures(write(...args));
}
