import type { WarningLines } from './types.js';

/** What comes from outside and must not be trusted. */
export const WEB_LINES: WarningLines = {
  'g-fastjson-autotype': {
    bad: [
      'config.addAccept("com.");',
      'ParserConfig.getGlobalInstance().setAutoTypeSupport(true);',
      '-Dfastjson.parser.autoTypeSupport=true',
      'JSON.parseObject(text, JSONReader.Feature.SupportAutoType);',
      'mapper.activateDefaultTyping(LaissezFaireSubTypeValidator.instance);',
    ],
    good: [
      'JSON.parseObject(text, Order.class);',
      'ParserConfig.getGlobalInstance().addAccept("com.shop.order.OrderEvent");',
      'ParserConfig.getGlobalInstance().setSafeMode(true);',
      'mapper.disable(FAIL_ON_UNKNOWN_PROPERTIES);',
    ],
  },
  'g-unsafe-deserialization': {
    bad: [
      'obj = pickle.loads(payload)',
      'cfg = yaml.load(text)',
      'ObjectInputStream in = new ObjectInputStream(request.getInputStream());',
      '$data = unserialize($_COOKIE["cart"]);',
    ],
    good: [
      'obj = json.loads(payload)',
      'cfg = yaml.safe_load(text)',
      'cfg = yaml.load(text, Loader=yaml.SafeLoader)',
      'ObjectMapper mapper = new ObjectMapper();',
    ],
  },
  'g-command-concatenation': {
    bad: [
      'Runtime.getRuntime().exec("sh /opt/run.sh " + name);',
      'execSync(`git clone ${url}`);',
      'os.system(f"convert {src} {dst}")',
      'cmd := exec.Command("bash", "-c", fmt.Sprintf("tar xf %s", file))',
      'subprocess.run("ls " + path, shell=True)',
    ],
    good: [
      'new ProcessBuilder("sh", "/opt/run.sh", name).start();',
      "execFileSync('git', ['clone', url]);",
      'subprocess.run(["convert", src, dst], check=True)',
      'cmd := exec.Command("tar", "xf", file)',
      'const m = pattern.exec(`${text}`);',
    ],
  },
  'g-path-traversal': {
    bad: [
      'res.sendFile(req.params.file)',
      'File dest = new File(uploadDir + file.getOriginalFilename());',
      'InputStream in = new FileInputStream(base + request.getParameter("name"));',
      'const file = path.join(root, req.query.name);',
      'return open(os.path.join(BASE, request.args["file"]))',
    ],
    good: [
      'File dest = new File(uploadDir, UUID.randomUUID() + ext);',
      'const file = path.join(root, path.basename(name));',
      'return open(CONFIG_FILE)',
      'String name = request.getParameter("name");',
    ],
  },
  'g-upload-original-name': {
    bad: [
      '      max-file-size: -1',
      'file.transferTo(new File(dir, file.getOriginalFilename()));',
      'fs.renameSync(file.path, `uploads/${file.originalname}`);',
      'c.SaveUploadedFile(file, "./upload/"+file.Filename)',
      'f.save(os.path.join(UPLOAD_DIR, f.filename))',
    ],
    good: [
      'file.transferTo(new File(dir, newName));',
      'String ext = FilenameUtils.getExtension(file.getOriginalFilename());',
      'c.SaveUploadedFile(file, dst)',
      '  max-file-size: 10MB',
    ],
  },
  'g-xxe': {
    bad: [
      'parser = etree.XMLParser(resolve_entities=True)',
      'Document doc = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in);',
      'Document document = DocumentHelper.parseText(xml);',
      'Document doc = new SAXReader().read(request.getInputStream());',
    ],
    good: [
      'DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();',
      'factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);',
      'SAXReader reader = new SAXReader();',
      'Map<String, String> map = WXPayUtil.xmlToMap(xml);',
    ],
  },
  'g-open-redirect': {
    bad: [
      'return redirect(request.args.get("next"))',
      'response.sendRedirect(request.getParameter("url"));',
      'res.redirect(req.query.returnUrl);',
      'return "redirect:" + returnUrl;',
      'window.location.href = this.$route.query.redirect;',
    ],
    good: [
      'response.sendRedirect("/login");',
      'res.redirect(safePath(req.query.returnUrl));',
      'return "redirect:/order/list";',
      'this.$router.push({ path: this.redirect });',
    ],
  },
  'g-ssrf': {
    bad: [
      'HttpUtil.get(request.getParameter("url"));',
      'URL url = new URL(request.getParameter("url"));',
      'const r = await axios.get(req.query.url);',
      'r = requests.get(request.args["url"])',
      'resp, err := http.Get(c.Query("url"))',
    ],
    good: [
      'URL url = new URL(properties.getEndpoint());',
      'const r = await axios.get(api, { params: req.query });',
      'r = requests.get(API_URL, params=request.args)',
      'resp, err := http.Get(endpoint)',
    ],
  },
  'g-openid-from-client': {
    bad: [
      'const { user } = await find(req.body.openid);',
      'String openid = request.getParameter("openid");',
      'public Result pay(@RequestParam String openid) {',
      'openid = request.json.get("openid")',
    ],
    good: [
      'const { openid } = await code2session(req.body.code);',
      'String openid = LoginUser.current().getOpenid();',
      'public Result login(@RequestParam String code) {',
      'params.put("openid", user.getOpenid());',
    ],
  },
  'g-stack-trace-to-client': {
    bad: [
      'res.status(500).json({ message: err.stack });',
      'e.printStackTrace(response.getWriter());',
      'return Result.fail(ExceptionUtils.getStackTrace(e));',
      'return JsonResponse({"error": traceback.format_exc()})',
    ],
    good: [
      "res.status(500).json({ code: 'INTERNAL', message: '服务繁忙' });",
      'log.error("pay failed", e);',
      'return Result.fail(ErrorCode.INTERNAL);',
      'logger.error(traceback.format_exc())',
    ],
  },
};
