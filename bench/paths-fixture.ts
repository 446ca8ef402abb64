// A front end of ordinary size (its full tree costs some 3,500 tokens) in which somebody finds the login page's button too small on phones: generated, so that it is the same for all.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FEATURES =
  'order cart product coupon payment refund address profile message search category review invoice wallet points member store stock report setting'.split(
    ' ',
  );
const NAMES =
  '订单 购物车 商品 优惠券 支付 退款 地址 个人中心 消息 搜索 分类 评价 发票 钱包 积分 会员 门店 库存 报表 设置'.split(
    ' ',
  );
const WIDGETS =
  'Input Layout Modal Table Tabs Toast Tag Card List Avatar Badge Drawer Form Select Switch Upload Picker Empty Loading Steps'.split(
    ' ',
  );

/** The files of the fixture: what the walk needs, and around it what such a project has. */
export function loginFixture(): Record<string, string> {
  const files: Record<string, string> = {
    'package.json': '{"name": "login-button", "private": true}\n',
    'README.md': '# 商城前端\n',
    'src/main.tsx': "import './styles/global.css';\nimport { routes } from './router';\nvoid routes;\n",
    'src/pages/Login.tsx':
      "/** 登录页：手机号和密码登录 */\nimport { Button } from '../components/Button';\nimport { Input } from '../components/Input';\nimport { login } from '../services/api';\nimport '../styles/login.less';\n\nexport function Login() {\n  return <Button block>登录</Button>;\n}\n",
    'src/pages/Register.tsx':
      "/** 注册页 */\nimport { Button } from '../components/Button';\nexport function Register() {\n  return <Button>注册</Button>;\n}\n",
    'src/pages/Home.tsx': '/** 首页 */\nexport function Home() {\n  return null;\n}\n',
    'src/components/Button.tsx':
      "/** 通用按钮：尺寸由 size 决定，含加载和禁用状态 */\nexport type ButtonSize = 'small' | 'medium' | 'large';\nexport interface ButtonProps {\n  size?: ButtonSize;\n  block?: boolean;\n}\nexport function Button(props: ButtonProps) {\n  return <button className={`btn btn-${props.size ?? 'small'}`} />;\n}\n",
    'src/components/Button.test.tsx': "import { Button } from './Button';\nvoid Button;\n",
    'src/services/api.ts':
      "/** 接口调用 */\nimport { request } from '../utils/request';\nexport const login = () => request('/login');\n",
    'src/utils/auth.ts': '/** 登录态：存取令牌 */\nexport const token = () => localStorage.token;\n',
    'src/utils/request.ts':
      "/** 发请求，带上令牌 */\nimport { token } from './auth';\nexport const request = (url: string) => [url, token()];\n",
    'src/styles/global.css':
      '/* 全局样式：按钮的尺寸变量 */\n:root { --btn-height-small: 28px; }\n@media (max-width: 480px) { .btn { height: var(--btn-height-small); } }\n',
    'src/styles/login.less': '/* 登录页样式 */\n.login { padding: 16px; }\n',
    'src/router/index.ts': "/** 路由 */\nimport { Login } from '../pages/Login';\nexport const routes = [Login];\n",
  };
  for (const [i, name] of WIDGETS.entries()) {
    files[`src/components/${name}.tsx`] = `/** 组件 ${name} */\nexport function ${name}() {\n  return ${i};\n}\n`;
    files[`src/components/${name}.test.tsx`] = `import { ${name} } from './${name}';\nvoid ${name};\n`;
    files[`src/components/${name}.less`] = `.${name.toLowerCase()} { }\n`;
  }
  for (const [i, feature] of FEATURES.entries()) {
    const word = NAMES[i]!;
    const upper = feature[0]!.toUpperCase() + feature.slice(1);
    for (const page of ['List', 'Detail', 'Edit', 'Create'])
      files[`src/pages/${feature}/${upper}${page}.tsx`] =
        `/** ${word}${page} 页 */\nimport { Table } from '../../components/Table';\nimport { fetch${upper} } from '../../services/${feature}';\nexport function ${upper}${page}() {\n  return [Table, fetch${upper}];\n}\n`;
    files[`src/pages/${feature}/style.less`] = `.${feature} { }\n`;
    files[`src/pages/${feature}/components/${upper}Form.tsx`] =
      `/** ${word}表单 */\nexport function ${upper}Form() {\n  return null;\n}\n`;
    files[`src/pages/${feature}/components/${upper}Filter.tsx`] =
      `/** ${word}筛选 */\nexport function ${upper}Filter() {\n  return null;\n}\n`;
    files[`src/services/${feature}.ts`] =
      `/** ${word}接口 */\nimport { request } from '../utils/request';\nexport const fetch${upper} = () => request('/${feature}');\n`;
    files[`src/store/${feature}.ts`] = `/** ${word}状态 */\nexport const ${feature}Store = {};\n`;
    files[`src/types/${feature}.ts`] = `/** ${word}类型 */\nexport interface ${upper} {\n  id: string;\n}\n`;
    files[`src/hooks/use${upper}.ts`] = `/** 取${word} */\nexport const use${upper} = () => null;\n`;
    files[`src/locales/zh-CN/${feature}.json`] = `{ "${feature}": { "title": "${word}" } }\n`;
    files[`src/locales/en-US/${feature}.json`] = `{ "${feature}": { "title": "${upper}" } }\n`;
    files[`tests/${feature}/${feature}.test.ts`] =
      `import { fetch${upper} } from '../../src/services/${feature}';\nvoid fetch${upper};\n`;
    files[`mock/${feature}.ts`] = 'export default [];\n';
    files[`docs/${feature}.md`] = `# ${word}\n`;
    // The back office of the same shop.
    for (const part of ['Table', 'Form', 'Audit', 'Export', 'Detail', 'Columns', 'Filters', 'Batch'])
      files[`src/admin/${feature}/${upper}${part}.tsx`] =
        `/** 后台${word}${part} */\nexport function Admin${upper}${part}() {\n  return null;\n}\n`;
    for (const part of ['service', 'store', 'types', 'constants', 'permissions'])
      files[`src/admin/${feature}/${part}.ts`] = `/** 后台${word} ${part} */\nexport const ${feature}${part} = {};\n`;
    files[`src/admin/${feature}/style.less`] = `.admin-${feature} { }\n`;
    files[`tests/admin/${feature}.test.ts`] = 'export {};\n';
  }
  return files;
}

export function writeFixture(root: string): void {
  for (const [path, content] of Object.entries(loginFixture())) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}
