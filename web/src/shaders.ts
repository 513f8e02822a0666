// shaders.ts - GLSL: where the eye sees a node, the lens, points as disks, edges as geodesics.

// `seen` gives the place in the eye's frame and the logarithm of the square root of the gap; `lens` draws it (view.ts).
const COMMON = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
uniform sampler2D nodes;
uniform vec4 motion;   // a, b of the isometry from the resting place to the eye
uniform float scale;   // of the lens
uniform vec4 disk;     // centre and radius in clip coordinates
uniform vec3 palette[32];
uniform float crowd[16]; // how strongly to draw what lies at a radius, by sixteenths: where many are, each is fainter

float strength(vec2 at) {
  return crowd[int(min(15.0, 16.0 * length(at)))];
}

vec3 seen(int i) {
  vec4 p = texelFetch(nodes, ivec2(i & 1023, i >> 10), 0);
  vec2 a = motion.xy, b = motion.zw, w = p.xy;
  vec2 up = vec2(a.x * w.x - a.y * w.y, a.x * w.y + a.y * w.x) + b;
  vec2 down = vec2(dot(b, w) + a.x, b.x * w.y - b.y * w.x - a.y);
  float size = dot(down, down);
  return vec3(dot(up, down), up.y * down.x - up.x * down.y, 0.0) / size + vec3(0.0, 0.0, log(p.z) - 0.5 * log(size));
}

float lens(float depth) {
  return tanh(min(0.5 * scale * depth, 9.0));
}

vec2 place(vec3 p) {
  float q = length(p.xy);
  float depth = q < 0.5 ? log((1.0 + q) / (1.0 - q)) : 2.0 * (log(1.0 + min(q, 1.0)) - p.z);
  return p.xy * (q > 1e-6 ? lens(depth) / q : scale);
}

vec4 onStage(vec2 at) {
  return vec4(disk.xy + disk.zw * at, 0.0, 1.0);
}
`;

export const POINT_VERTEX =
  COMMON +
  `
uniform float pixel;      // device pixels per CSS pixel
uniform float pointScale; // of all sizes
layout(location = 0) in uint node;
layout(location = 1) in float size; // of the disk in CSS pixels, in the middle
layout(location = 2) in float tint;
out vec4 colour;
out float width;
void main() {
  vec2 at = place(seen(int(node)));
  float near = 1.0 - dot(at, at);
  width = max(pixel * pointScale * size * (0.4 + 0.6 * near), 1.4 * pixel);
  gl_Position = onStage(at);
  gl_PointSize = width + 2.0 * pixel;
  colour = vec4(palette[int(tint)], 1.0) * mix(1.0, sqrt(strength(at)), clamp(2.0 - 0.25 * size, 0.0, 1.0));
}
`;

export const POINT_FRAGMENT = `#version 300 es
precision highp float;
uniform float pixel;
uniform float opacity;
uniform vec3 ground;
in vec4 colour;
in float width;
out vec4 result;
void main() {
  float far = length(gl_PointCoord - 0.5) * (width + 2.0 * pixel);
  float inside = 1.0 - smoothstep(0.5 * width - 0.6, 0.5 * width + 0.6, far);
  float ring = width > 8.0 * pixel ? 1.0 - smoothstep(0.5 * width + 0.4 * pixel, 0.5 * width + 1.0 * pixel, far) : 0.0;
  vec4 dot = colour * inside * opacity;
  result = dot + vec4(ground, 1.0) * ring * (1.0 - dot.a) * 0.9;
}
`;

// The geodesic from p to q of length d, which comes from the CPU: floats near the rim do not know it. With the foot of the
// origin's perpendicular on it as zero, p is at `from` and q at from + d; along it cosh(depth) goes with cosh, so that
// from = log((k - exp(-d)) / (exp(d) - k)) / 2 with k = cosh(depth q) / cosh(depth p). Places are spread so that they are even in
// the disk itself for a geodesic through the middle, or, where the lens shows more of the space, dense around the foot, where such a
// geodesic turns. They are mixed in the Lorentz model by logarithms, which has neither cancellation nor overflow.
const GEODESIC = `
uniform sampler2D edges; // child, parent, length, 32 * branch + log2 of the nodes below

float logSinh(float v) {
  return v + log(max(1.0 - exp(-2.0 * v), 1e-20)) - 0.6931472;
}

float logOneMinusExp(float v) {
  return log(max(1.0 - exp(-v), 1e-7));
}

vec2 along(vec3 p, vec3 q, float d, float t) {
  float logP = log(1.0 + dot(p.xy, p.xy)) - 2.0 * p.z, logQ = log(1.0 + dot(q.xy, q.xy)) - 2.0 * q.z;
  float k = clamp(logQ - logP, -d, d);
  float from = 0.5 * (k + logOneMinusExp(d + k) - d - logOneMinusExp(d - k));
  float gone = t * d;
  if (scale < 0.6) {
    gone = clamp(sinh(mix(asinh(from), asinh(from + d), t)) - from, 0.0, d);
  } else {
    float first = tanh(clamp(0.5 * scale * from, -8.0, 8.0)), last = tanh(clamp(0.5 * scale * (from + d), -8.0, 8.0));
    if (abs(last - first) > 1e-3) gone = clamp(2.0 / scale * atanh(mix(first, last, t)) - from, 0.0, d);
  }
  gone = t <= 0.0 ? 0.0 : t >= 1.0 ? d : gone;
  float whole = logSinh(max(d, 1e-6));
  float weightP = logSinh(max(d - gone, 1e-9)) - whole - 2.0 * p.z, weightQ = logSinh(max(gone, 1e-9)) - whole - 2.0 * q.z;
  float top = max(weightP, weightQ);
  vec2 sum = 2.0 * (exp(weightP - top) * p.xy + exp(weightQ - top) * q.xy);
  float r = max(length(sum), 1e-20);
  float depth = top + log(r) > 10.0 ? top + log(2.0 * r) : asinh(r * exp(top));
  return sum / r * lens(depth);
}
`;

// Thin edges: a strip of lines.
export const LINE_VERTEX =
  COMMON +
  GEODESIC +
  `
uniform float pieces;
uniform vec2 opacity; // of an edge to a leaf, and what each doubling of the nodes below adds
layout(location = 0) in uint edge;
out vec4 colour;
void main() {
  vec4 e = texelFetch(edges, ivec2(int(edge) & 1023, int(edge) >> 10), 0);
  vec3 child = seen(int(e.x));
  gl_Position = onStage(along(child, seen(int(e.y)), e.z, float(gl_VertexID) / pieces));
  float alpha = min(opacity.x + opacity.y * mod(e.w, 32.0), 0.9) * strength(place(child));
  colour = vec4(palette[int(e.w / 32.0)], 1.0) * alpha;
}
`;

// Wide edges: a strip of triangles, two vertices at each place, set apart across the direction on the stage.
export const RIBBON_VERTEX =
  COMMON +
  GEODESIC +
  `
uniform float pieces;
uniform vec2 opacity;
uniform vec2 widths;   // in CSS pixels, as opacity
uniform vec2 stage;    // CSS pixels per unit of clip coordinates
uniform vec4 over;     // a colour to draw all in, premultiplied, or alpha 0
layout(location = 0) in uint edge;
out vec4 colour;
out vec2 across;       // distance from the middle line and half the width, in CSS pixels
void main() {
  vec4 e = texelFetch(edges, ivec2(int(edge) & 1023, int(edge) >> 10), 0);
  vec3 p = seen(int(e.x)), q = seen(int(e.y));
  float t = float(gl_VertexID / 2) / pieces, side = float(gl_VertexID % 2) * 2.0 - 1.0;
  vec2 at = along(p, q, e.z, t), other = along(p, q, e.z, t + (t > 0.5 ? -0.5 : 0.5) / pieces);
  vec2 here = at * disk.zw * stage, there = other * disk.zw * stage;
  vec2 way = (t > 0.5 ? -1.0 : 1.0) * (there - here);
  float size = length(way);
  vec2 normal = size > 1e-5 ? vec2(-way.y, way.x) / size : vec2(0.0);
  float level = mod(e.w, 32.0), near = 1.0 - dot(at, at);
  float half_ = 0.5 * (widths.x + widths.y * level) * (0.45 + 0.55 * near);
  vec4 middle = onStage(at);
  gl_Position = vec4(middle.xy + side * normal * (half_ + 0.75) / stage, 0.0, 1.0);
  across = vec2(side * (half_ + 0.75), half_);
  float alpha = min(opacity.x + opacity.y * level, 0.9) * sqrt(strength(place(p)));
  colour = over.a > 0.0 ? over : vec4(palette[int(e.w / 32.0)], 1.0) * alpha;
}
`;

export const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 colour;
out vec4 result;
void main() {
  result = colour;
}
`;

export const RIBBON_FRAGMENT = `#version 300 es
precision highp float;
in vec4 colour;
in vec2 across;
out vec4 result;
void main() {
  result = colour * (1.0 - smoothstep(across.y - 0.5, across.y + 0.6, abs(across.x)));
}
`;
