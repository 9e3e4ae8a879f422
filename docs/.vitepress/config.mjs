/** The site of the documents: `npm run docs` builds it without a network. The pages read as well in the repository. */
import { defineConfig } from 'vitepress';
import { sections } from './pages.mjs';
import { searchOptions } from './search.mjs';
import { usePictures } from './themedPictures.mjs';

const repository = 'https://github.com/nearglot/nearglot';

// biome-ignore lint/style/noDefaultExport: the form that VitePress reads
export default defineConfig({
	title: 'Nearglot',
	description: 'Chat, transcribe and translate with models that run on your own machine.',
	lang: 'en',
	cleanUrls: false,
	outDir: '../dist/docs',
	cacheDir: '../dist/.vitepress-cache',
	// Nothing is fetched by readers either: no fonts, no analytics, the search index is part of the site.
	useWebFonts: false,
	// Paths that pages name in the repository are links there.
	ignoreDeadLinks: false,
	lastUpdated: false,
	head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
	markdown: { config: usePictures },
	themeConfig: {
		search: { provider: 'local', options: { miniSearch: { searchOptions } } },
		outline: [2, 3],
		nav: [
			{ text: 'Start', link: '/start/install' },
			{ text: 'Connect', link: '/connect/' },
			{ text: 'Team server', link: '/team/tutorial' },
			{ text: 'Reference', link: '/reference/command-line' },
		],
		sidebar: sections.map(({ title, pages }) => ({
			text: title,
			collapsed: false,
			items: pages.map(([text, path]) => ({ text, link: `/${path.replace(/(index)?\.md$/, '')}` })),
		})),
		socialLinks: [{ icon: 'github', link: repository }],
	},
});
